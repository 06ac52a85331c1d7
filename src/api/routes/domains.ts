import { getApplication, type ApplicationRow } from '../../db/tenant/applications.ts';
import { coveringCredential, coveringProviderOfAny } from '../../db/zone/credentials.ts';
import type { Tx } from '../../db/pool.ts';
import { hostnameParts } from '../../dns/suffix.ts';
import { isWildcard } from '../../domain/certificate/dns-validation.ts';
import { confirmedBy, type DomainObservation } from '../../domain/observation/domain-observation.ts';
import { diagnoseZone, wildcardFindings } from '../../domain/observation/diagnosis.ts';
import type { Finding } from '../../domain/observation/finding.ts';
import { providerName } from '../../domain/zone/provider-names.ts';
import { companionHostname, isSandboxName } from '../../domain/hostname.ts';
import { ownService } from '../../domain-connect/own-service.ts';
import { dcServiceOf } from '../../domain/zone/domain-connect.ts';
import { relativeHost, type DnsRecord } from '../../domain/record.ts';
import { desiredRecords, templateMisfit } from '../../domain/connection/template.ts';
import { environmentsOf, reachApplication, type Caller } from '../caller.ts';
import type { ApiDeps } from '../deps.ts';
import { connectableHostname } from '../hostnames.ts';
import { presentFinding } from '../present.ts';
import { waitingRoute } from '../route.ts';
import { wildcardNeedsDnsFinding } from '../wildcards.ts';
import { CheckDomain, DomainCheck } from '../schemas/checks.ts';

const CHECK_DEADLINE_MS = 10_000;

const check = waitingRoute({
  method: 'post',
  path: '/domains:check',
  summary: "Detect a domain's DNS provider and how it can be connected. Read-only.",
  needs: ['connections:read'],
  widget: { applicationId: (body) => body.application_id, hostname: (body) => body.domain },
  body: CheckDomain,
  replies: { 200: DomainCheck },
  errors: ['not_found'],
  async handle({ caller, body, deps, inTransaction }) {
    const { domain, application, writer } = await inTransaction(async (tx) => {
      const asked = await requestedApplication(tx, caller, body.application_id);
      const environment = asked?.environment ?? caller.environment;
      const name = connectableHostname(body.domain, 'body.domain', environment, deps.ownHosts);
      return { domain: name, application: asked, writer: await writerOf(tx, caller, asked, name) };
    });
    const wanted = wantedRecords(domain, application, deps);
    const services = ownServices(domain, application, deps);
    const deadline = AbortSignal.timeout(CHECK_DEADLINE_MS);
    const seen = await deps.checkDomain(domain, wanted, caller.tenantId, deadline, services);
    const companion = companionOf(seen, application, caller);
    return { status: 200, body: { ...present(seen, wanted, writer, services, deps), companion } };
  },
});

export const domainRoutes = [check];

/** Returns the application whose template, credentials and environment apply, or null if an API key names none. */
async function requestedApplication(tx: Tx, caller: Caller, applicationId: string | undefined) {
  const id = applicationId ?? (caller.credential.kind === 'widget' ? caller.credential.applicationId : undefined);
  return id === undefined ? null : reachApplication(caller, await getApplication(tx, id));
}

/** Returns the provider at which a credential lets us write records for the domain, or null. */
async function writerOf(tx: Tx, caller: Caller, application: ApplicationRow | null, domain: string) {
  if (application === null) return coveringProviderOfAny(tx, environmentsOf(caller), domain);
  return (await coveringCredential(tx, application.id, domain))?.provider ?? null;
}

/** Returns the Domain Connect service of the application's own records, if there is one. A wildcard is proved elsewhere. */
function ownServices(hostname: string, application: ApplicationRow | null, { edge }: ApiDeps): string[] {
  if (application === null || isWildcard(hostname)) return [];
  const own = ownService(application.record_template, hostnameParts(hostname).kind, edge);
  return own === null ? [] : [own.serviceId];
}

function wantedRecords(hostname: string, application: ApplicationRow | null, deps: ApiDeps): DnsRecord[] {
  const name = hostnameParts(hostname);
  const wanted = desiredRecords(
    application?.record_template ?? [],
    { ...name, connectionId: '{connection_id}' },
    deps.edge,
  );
  // A template that creating a connection would refuse yields no records here.
  return templateMisfit(wanted, name) === null ? wanted : [];
}

/** Returns the www that can be connected with an apex. A bound token may connect only its own hostname. */
function companionOf(
  { hostname, kind }: DomainObservation,
  application: ApplicationRow | null,
  { credential }: Caller,
): { hostname: string; selected: boolean } | null {
  if (kind !== 'apex' || (credential.kind === 'widget' && credential.hostname !== null)) return null;
  return { hostname: companionHostname(hostname), selected: application?.companion ?? false };
}

function present(
  seen: DomainObservation,
  wanted: readonly DnsRecord[],
  writer: string | null,
  own: readonly string[],
  { providers, baseUrl, domainConnect: identity, edge, delegation }: ApiDeps,
) {
  const { capabilities, zone, mail, domainConnect } = seen;
  const provider = confirmedBy(seen.provider, writer ?? undefined);
  const registered = zone.registered !== false;
  const descriptor = providers.find(({ slug }) => slug === provider.slug);
  const service =
    domainConnect && dcServiceOf({ hostname: seen.hostname, desired_records: wanted }, domainConnect.zone, edge);
  const suitable = service === null ? own : [service];
  const template = identity !== null && (domainConnect?.services.some((known) => suitable.includes(known)) ?? false);
  const automatic = registered && (writer !== null || template);
  const needsDns = isWildcard(seen.hostname) && writer === null && delegation === null && !isSandboxName(seen.hostname);
  const record = (one: DnsRecord) => ({
    ...one,
    relative_host: relativeHost(one.host, (registered ? zone.name : null) ?? seen.registrableDomain),
  });
  // An automatic setup adds the explicit records itself, so the customer has nothing to do.
  const noted = (finding: Finding): Finding => (automatic ? { ...finding, severity: 'info', fix: null } : finding);
  const findings = [
    ...(needsDns ? [wildcardNeedsDnsFinding(seen.hostname)] : []),
    ...diagnoseZone(seen),
    ...wildcardFindings(seen.hostname, seen.wildcard).map(noted),
  ];
  return {
    domain: seen.hostname,
    registered,
    provider: provider.slug,
    provider_slug: provider.slug,
    provider_name: providerName(provider.slug) ?? domainConnect?.provider_name ?? null,
    setup_type: automatic ? 'automatic' : 'manual',
    apex_flattening: capabilities.cnameFlattening,
    // An unregistered domain has no name servers. The servers in `zone` belong to its parent.
    nameserver: (registered ? zone.nameservers[0] : undefined) ?? null,
    apex: seen.kind === 'apex',
    auto_configurable: automatic,
    www_redirect_recommended: seen.kind === 'apex' && !capabilities.cnameFlattening,
    capabilities: {
      cname_flattening: capabilities.cnameFlattening,
      wildcard: capabilities.wildcard,
      caa: capabilities.caa,
      multi_txt: capabilities.multiTxt,
      ns_delegation: capabilities.nsDelegation,
    },
    record_conflicts: seen.conflicts.map(record),
    domain_connect: {
      supported: domainConnect !== null,
      template_supported: template,
      provider_id: domainConnect?.provider_id ?? null,
      consent_needed: registered && template && writer === null,
    },
    dnssec: zone.dnssec,
    existing_mail: mail,
    findings: findings.map((finding) => presentFinding(finding, record)),
    instructions_url: descriptor ? `${baseUrl}/docs/providers/${descriptor.slug}` : null,
    control_panel_url: descriptor?.control_panel_url ?? domainConnect?.control_panel_url ?? null,
  };
}
