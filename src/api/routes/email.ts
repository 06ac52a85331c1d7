import { getConnection, findProved, shareConnection } from '../../db/connection/connections.ts';
import type { ConnectionRow } from '../../db/connection/connection-row.ts';
import type { Tx } from '../../db/pool.ts';
import { registrableDomain } from '../../dns/suffix.ts';
import { PROVED } from '../../domain/connection/state-sets.ts';
import {
  allRecords,
  existingRecords,
  NOTHING_KNOWN,
  senderPolicy,
  type MailSituation,
} from '../../domain/email/email-plan.ts';
import { dkimProblem, spfRecord, type MailRequest } from '../../domain/email/email-records.ts';
import { mailNotes } from '../../domain/email/mail-notes.ts';
import { MAILBOX_PROVIDERS, mailboxProvider } from '../../domain/email/mailbox-providers.ts';
import { observeMail } from '../../domain/email/observe-mail.ts';
import { isSpf, LOOKUP_LIMIT } from '../../domain/email/spf.ts';
import { allLookups, ownLookups, type SpfLookups } from '../../domain/email/spf-lookups.ts';
import { invalid, ServiceError } from '../../domain/errors.ts';
import { relativeHost, type DnsRecord } from '../../domain/record.ts';
import { writeMail, type MailOutcome } from '../../provisioning/mail.ts';
import { canReach, reach, refuseArchived, type Caller } from '../caller.ts';
import { connectableHostname } from '../hostnames.ts';
import { waitingRoute } from '../route.ts';
import { Id } from '../schemas/common.ts';
import { ApplyEmail, EmailApplied, EmailRecords, GenerateEmail } from '../schemas/email.ts';

const PROVIDER_DEADLINE_MS = 25_000;
const LOOKUP_DEADLINE_MS = 8_000;

const generate = waitingRoute({
  method: 'post',
  path: '/email/records',
  summary: 'List the DNS records that a mailbox provider needs at a domain. Read-only.',
  needs: ['connections:read'],
  body: GenerateEmail,
  replies: { 200: EmailRecords },
  errors: [],
  async handle({ caller, body, deps }) {
    const domain = connectableHostname(body.domain, 'body.domain', caller.environment, deps.ownHosts, {
      wildcard: false,
    });
    const request = mailRequest(body, domain);
    const lookup = deps.lookupFor(domain, caller.tenantId, AbortSignal.timeout(LOOKUP_DEADLINE_MS));
    const seen = body.live === true ? await observeMail(request, lookup) : NOTHING_KNOWN;
    const situation = body.spf === undefined ? seen : withPolicy(seen, domain, body.spf);
    const policy = senderPolicy(request, situation).record.value;
    const lookups = body.live === true ? await allLookups(policy, domain, lookup) : null;
    return {
      status: 200,
      body: {
        provider: request.provider.id,
        domain,
        records: allRecords(request, situation).map(shown(domain)),
        notes: sentences(request, situation, lookups),
        spf_lookups: presentLookups(policy, lookups),
      },
    };
  },
});

/** Replaces the observed SPF record by the one that the caller sent. */
function withPolicy(seen: MailSituation, domain: string, text: string): MailSituation {
  const value = text.trim();
  if (!isSpf(value)) {
    const message = 'body.spf: an SPF record must begin with v=spf1 and a space.';
    throw invalid([{ path: 'body.spf', code: 'spf', message }]);
  }
  const others = seen.current.filter((one) => !(one.host === domain && one.type === 'TXT' && isSpf(one.value)));
  return { ...seen, current: [...others, spfRecord(domain, value)] };
}

const apply = waitingRoute({
  method: 'post',
  path: '/connections/{id}/email:apply',
  summary:
    "Add a mailbox provider's DNS records without touching existing ones. Returns the steps left to do manually.",
  needs: ['connections:write'],
  params: Id,
  body: ApplyEmail,
  replies: { 200: EmailApplied },
  errors: ['not_found', 'invalid_state', 'provider_error'],
  async handle({ caller, params, body, deps, now, inTransaction }) {
    const row = await inTransaction(async (tx) => reach(caller, await getConnection(tx, params.id)));
    refuseArchived(row);
    const domain = registrableDomain(row.hostname);
    const request = mailRequest(body, domain);
    const obstacle = await inTransaction((tx) => obstacleOf(tx, caller, row, domain));
    const signal = AbortSignal.timeout(PROVIDER_DEADLINE_MS);
    const guard = (tx: Tx) => stillMayWrite(tx, caller, row, domain);
    const outcome: MailOutcome =
      obstacle === null
        ? await writeMail(deps.providerAccess, row, request, { now, signal, guard })
        : { outcome: 'by_hand', sentence: obstacle };
    if (outcome.outcome === 'later')
      throw new ServiceError('provider_error', outcome.sentence, {
        retryAfterSeconds: Math.ceil(outcome.retryAfterMs / 1_000),
      });
    const lookup = deps.lookupFor(domain, caller.tenantId, AbortSignal.timeout(LOOKUP_DEADLINE_MS));
    const situation: MailSituation =
      outcome.outcome === 'written' ? { current: outcome.current, unknown: [] } : await observeMail(request, lookup);
    const policy = senderPolicy(request, situation).record.value;
    const lookups = await allLookups(policy, domain, lookup);
    return { status: 200, body: applied(request, outcome, situation, lookups, policy) };
  },
});

export const emailRoutes = [generate, apply];

function applied(
  request: MailRequest,
  outcome: Exclude<MailOutcome, { outcome: 'later' }>,
  situation: MailSituation,
  lookups: SpfLookups,
  policy: string,
) {
  const written = outcome.outcome === 'written' ? outcome.written : [];
  const manual =
    outcome.outcome === 'written'
      ? [...outcome.leftOut.map(({ wanted }) => wanted), senderPolicy(request, situation).record]
      : allRecords(request, situation);
  const why = outcome.outcome === 'by_hand' && outcome.sentence !== null ? [outcome.sentence] : [];
  return {
    applied: written.length > 0,
    domain: request.domain,
    provider: request.provider.id,
    written_records: written.map(shown(request.domain)),
    manual_records: manual.map(shown(request.domain)),
    existing_records: existingRecords(request, situation).map(shown(request.domain)),
    notes: [...why, ...sentences(request, situation, lookups)],
    spf_lookups: presentLookups(policy, lookups),
  };
}

const sentences = (...situation: Parameters<typeof mailNotes>): string[] =>
  mailNotes(...situation).map(({ message }) => message);

const presentLookups = (policy: string, lookups: SpfLookups | null) => ({
  count: lookups?.count ?? ownLookups(policy),
  limit: LOOKUP_LIMIT,
  unread: lookups?.unread ?? [],
  followed: lookups !== null,
});

const shown = (domain: string) => (record: DnsRecord) => ({
  ...record,
  relative_host: relativeHost(record.host, domain),
});

function mailRequest(body: { provider: string; dkim?: string[] }, domain: string): MailRequest {
  const provider = mailboxProvider(body.provider);
  if (provider === undefined) {
    const message = `body.provider: must be one of ${MAILBOX_PROVIDERS.map(({ id }) => id).join(', ')}.`;
    throw invalid([{ path: 'body.provider', code: 'mailbox_provider', message }]);
  }
  const request = { provider, domain, dkim: body.dkim ?? [] };
  const problem = dkimProblem(request);
  if (problem !== null) throw invalid([{ path: 'body.dkim', code: 'dkim', message: `body.dkim: ${problem}` }]);
  return request;
}

/** Returns why we may not write the domain's mail records; null if we may. */
async function obstacleOf(tx: Tx, caller: Caller, row: ConnectionRow, domain: string): Promise<string | null> {
  if (!PROVED.has(row.state))
    return `Ownership of ${row.hostname} is not proved yet, so we write nothing. Add the records manually, or apply them again after the proof.`;
  if (await mayWriteMail(tx, caller, row, domain)) return null;
  return `Only ${row.hostname} is proved, which does not allow changes to the mail of ${domain}. Add the records manually, or connect ${domain} first.`;
}

/** Mail belongs to the whole domain, so the caller must reach a connection that has proved the domain itself. */
async function mayWriteMail(tx: Tx, caller: Caller, { hostname }: ConnectionRow, domain: string): Promise<boolean> {
  if (hostname === domain || hostname === `www.${domain}`) return true;
  return (await findProved(tx, domain)).some((proved) => canReach(caller, proved));
}

/** Checks again right before the write. If the connection was archived, its cleanup would miss the new records. */
async function stillMayWrite(tx: Tx, caller: Caller, { id }: ConnectionRow, domain: string): Promise<void> {
  const row = reach(caller, await shareConnection(tx, id));
  refuseArchived(row);
  const obstacle = await obstacleOf(tx, caller, row, domain);
  if (obstacle !== null) throw new ServiceError('invalid_state', obstacle);
}
