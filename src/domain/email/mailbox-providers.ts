/** DNS requirements of a mailbox provider. To add a provider, add an entry to the table below. */
export interface MailboxProvider {
  id: string;
  name: string;
  /** Other spellings that callers use. */
  aliases: readonly string[];
  /** Whether the widget offers it. The contract names three. */
  inWidget: boolean;
  mx(domain: string): readonly { priority: number; value: string }[];
  /** Domain whose SPF policy allows the provider's servers. */
  spfInclude: string;
  /** Further CNAMEs, relative to the domain. */
  cnames(domain: string): readonly { name: string; value: string }[];
  dkim: DkimSetup;
}

/** Publication of the provider's DKIM keys: by names that follow from the domain, or by values from its console. */
export type DkimSetup =
  | { kind: 'known'; selectors(domain: string): readonly { selector: string; target: string }[] }
  /** CNAMEs whose targets only the console shows, in the order of these selectors. */
  | { kind: 'targets'; selectors: readonly string[]; where: string }
  /** A key as TXT at this selector. If the selector is null, the owner chooses it and we cannot write it. */
  | { kind: 'key'; selector: string | null; where: string };

const dashed = (domain: string): string => domain.replaceAll('.', '-');

export const MAILBOX_PROVIDERS: readonly MailboxProvider[] = [
  {
    id: 'google_workspace',
    name: 'Google Workspace',
    aliases: ['google'],
    inWidget: true,
    mx: () => [{ priority: 1, value: 'smtp.google.com' }],
    spfInclude: '_spf.google.com',
    cnames: () => [],
    dkim: {
      kind: 'key',
      selector: 'google',
      where: 'the Google Admin console under Apps, Google Workspace, Gmail, Authenticate email',
    },
  },
  {
    id: 'microsoft_365',
    name: 'Microsoft 365',
    aliases: ['microsoft', 'm365', 'office365'],
    inWidget: true,
    mx: (domain) => [{ priority: 0, value: `${dashed(domain)}.mail.protection.outlook.com` }],
    spfInclude: 'spf.protection.outlook.com',
    cnames: () => [{ name: 'autodiscover', value: 'autodiscover.outlook.com' }],
    dkim: {
      kind: 'targets',
      selectors: ['selector1', 'selector2'],
      where: 'the Microsoft Defender portal under Email authentication settings, DKIM',
    },
  },
  {
    id: 'zoho',
    name: 'Zoho Mail',
    aliases: ['zoho_mail'],
    inWidget: true,
    mx: () => [
      { priority: 10, value: 'mx.zoho.com' },
      { priority: 20, value: 'mx2.zoho.com' },
      { priority: 50, value: 'mx3.zoho.com' },
    ],
    spfInclude: 'zohomail.com',
    cnames: () => [],
    dkim: {
      kind: 'key',
      selector: null,
      where: 'the Zoho Mail admin console under Domains, Email configuration, DKIM',
    },
  },
  {
    id: 'fastmail',
    name: 'Fastmail',
    aliases: [],
    inWidget: false,
    mx: () => [
      { priority: 10, value: 'in1-smtp.messagingengine.com' },
      { priority: 20, value: 'in2-smtp.messagingengine.com' },
    ],
    spfInclude: 'spf.messagingengine.com',
    cnames: () => [],
    dkim: {
      kind: 'known',
      selectors: (domain) =>
        ['fm1', 'fm2', 'fm3'].map((selector) => ({ selector, target: `${selector}.${domain}.dkim.fmhosted.com` })),
    },
  },
  {
    id: 'proton',
    name: 'Proton Mail',
    aliases: ['proton_mail', 'protonmail'],
    inWidget: false,
    mx: () => [
      { priority: 10, value: 'mail.protonmail.ch' },
      { priority: 20, value: 'mailsec.protonmail.ch' },
    ],
    spfInclude: '_spf.protonmail.ch',
    cnames: () => [],
    dkim: {
      kind: 'targets',
      selectors: ['protonmail', 'protonmail2', 'protonmail3'],
      where: "Proton's settings under Domain names",
    },
  },
];

export function mailboxProvider(given: string): MailboxProvider | undefined {
  const name = given.trim().toLowerCase();
  return MAILBOX_PROVIDERS.find(({ id, aliases }) => id === name || aliases.includes(name));
}
