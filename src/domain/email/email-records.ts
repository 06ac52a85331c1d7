import { TTL_DEFAULT, type DnsRecord } from '../record.ts';
import { firstDmarc } from './dmarc.ts';
import type { MailboxProvider } from './mailbox-providers.ts';

/** Desired mail setup of a domain. The SPF record is separate, because it depends on existing records. */
export interface MailRequest {
  provider: MailboxProvider;
  domain: string;
  /** DKIM targets or key, in the order of the provider's console; empty if not known yet. */
  dkim: readonly string[];
}

/** Returns the records that we can write if nothing conflicts, in the order in which people see them. */
export function writableRecords({ provider, domain, dkim }: MailRequest): DnsRecord[] {
  const at = (name: string) => `${name}.${domain}`;
  const mx = provider.mx(domain).map(({ priority, value }) => record(domain, 'MX', value, priority));
  const cnames = provider.cnames(domain).map(({ name, value }) => record(at(name), 'CNAME', value));
  const signatures = dkimRecords({ provider, domain, dkim }).map(({ selector, type, value }) =>
    record(at(`${selector}._domainkey`), type, value),
  );
  // The first DMARC policy of a domain only asks for reports.
  return [...mx, ...cnames, ...signatures, record(at('_dmarc'), 'TXT', firstDmarc(domain))];
}

export const spfRecord = (domain: string, value: string): DnsRecord => record(domain, 'TXT', value);

const record = (host: string, type: DnsRecord['type'], value: string, priority: number | null = null): DnsRecord => ({
  host,
  type,
  value,
  ttl: TTL_DEFAULT,
  priority,
});

/**
 * Returns the DKIM records: CNAMEs with targets that are known or given, or a TXT record with the given key. Returns
 * none if `dkim` lacks the values that the provider needs.
 */
function dkimRecords({
  provider,
  domain,
  dkim,
}: MailRequest): { selector: string; type: 'CNAME' | 'TXT'; value: string }[] {
  const setup = provider.dkim;
  if (setup.kind === 'known')
    return setup.selectors(domain).map(({ selector, target }) => ({ selector, type: 'CNAME', value: target }));
  if (setup.kind === 'targets')
    return dkim.length === setup.selectors.length
      ? setup.selectors.map((selector, index) => ({ selector, type: 'CNAME', value: dkim[index] ?? '' }))
      : [];
  const [key] = dkim;
  return key === undefined || setup.selector === null ? [] : [{ selector: setup.selector, type: 'TXT', value: key }];
}

/** Returns the problem with the given DKIM values; null if there is none. */
export function dkimProblem({ provider, dkim }: Pick<MailRequest, 'provider' | 'dkim'>): string | null {
  const { dkim: setup, name } = provider;
  if (dkim.length === 0) return null;
  if (setup.kind === 'known') return `${name} needs no DKIM values: its names follow from the domain.`;
  if (setup.kind === 'targets') {
    if (dkim.length !== setup.selectors.length)
      return `${name} has ${setup.selectors.length} DKIM records; give the targets of ${setup.selectors.join(', ')} in this order.`;
    const bad = dkim.find((target) => !/^[a-z0-9_-]+(\.[a-z0-9_-]+)+\.?$/i.test(target) || target.length > 253);
    return bad === undefined ? null : `"${bad}" is not a host name; copy the targets from ${setup.where}.`;
  }
  if (setup.selector === null) return `${name} lets you choose the selector; add its DKIM record manually.`;
  if (dkim.length > 1) return `${name} has one DKIM key.`;
  return /^v=DKIM1;[\x20-\x7e]*p=[A-Za-z0-9+/= ]+;?$/.test(dkim[0] ?? '')
    ? null
    : `The DKIM key must read like "v=DKIM1; k=rsa; p=…", as ${setup.where} shows it.`;
}

/** Whether the owner still has to set up DKIM, because the provider shows its values only in its console. */
export const lacksDkim = (request: MailRequest): boolean => dkimRecords(request).length === 0;
