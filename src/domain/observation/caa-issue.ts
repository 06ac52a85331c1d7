/** A source that orders certificates. Each validates in its own way, with accounts of its own. */
export type OrderingSource = 'edge' | 'ordered';

/** URIs of the accounts of each source at the CAs. Empty if they are not known. */
export type CaaAccounts = Readonly<Record<OrderingSource, readonly string[]>>;
export const UNKNOWN_ACCOUNTS: CaaAccounts = { edge: [], ordered: [] };

/** ACME validation methods, one of which is used (RFC 8555 section 8, RFC 8737). */
export const METHODS = { edge: ['http-01', 'tls-alpn-01'], ordered: ['dns-01'] } as const satisfies Record<
  OrderingSource,
  readonly string[]
>;

/** An `issue` or `issuewild` value: the CA, and the parameters that restrict it. */
export interface IssueValue {
  issuer: string;
  parameters: readonly { tag: string; value: string }[];
}

/** Parses the value of an `issue` or `issuewild` property (RFC 8659 section 4.2); undefined if it allows no CA. */
export function parseIssueValue(text: string): IssueValue | undefined {
  const [issuer = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = rest.filter((part) => part !== '').map((part) => /^([a-z\d-]+)\s*=\s*([\x21-\x7e]*)$/i.exec(part));
  // A malformed value counts as one that allows no CA.
  if (issuer === '' || parameters.includes(null)) return undefined;
  return {
    issuer: issuer.toLowerCase(),
    parameters: parameters.map((found) => ({ tag: found?.[1]?.toLowerCase() ?? '', value: found?.[2] ?? '' })),
  };
}

/** Parameters that restrict an allowed CA (RFC 8657). */
export type Restriction = 'accounturi' | 'validationmethods';

export const restrictionsOf = ({ parameters }: IssueValue, tag: Restriction): string[] =>
  parameters.filter((one) => one.tag === tag).map(({ value }) => value);

/**
 * Judges the parameters of a property for a source, and returns the one that excludes it. A property with the same
 * parameter twice allows nothing. Where we do not know the source's account, the property may name it.
 */
export function judgeParameters(
  value: IssueValue,
  source: OrderingSource,
  accounts: CaaAccounts,
): 'allowed' | 'unknown' | Restriction {
  const [methods, ...moreMethods] = restrictionsOf(value, 'validationmethods');
  const allowed = methods?.toLowerCase().split(',');
  if (moreMethods.length > 0 || (allowed && !METHODS[source].some((method) => allowed.includes(method))))
    return 'validationmethods';
  const [account, ...moreAccounts] = restrictionsOf(value, 'accounturi');
  if (account === undefined) return 'allowed';
  if (moreAccounts.length > 0) return 'accounturi';
  if (accounts[source].includes(account)) return 'allowed';
  const isOfOther = accounts[source === 'edge' ? 'ordered' : 'edge'].includes(account);
  return accounts[source].length === 0 && !isOfOther ? 'unknown' : 'accounturi';
}
