import type { ConnectionDetailRow } from '../db/connection/connection-detail.ts';
import { registrableDomain } from '../dns/suffix.ts';
import { existingRecords, mailChanges, NOTHING_KNOWN, type MailSituation } from '../domain/email/email-plan.ts';
import { mailNotes } from '../domain/email/mail-notes.ts';
import { MAILBOX_PROVIDERS } from '../domain/email/mailbox-providers.ts';
import { relativeHost } from '../domain/record.ts';

/** Returns the mail records that each mailbox provider needs, compared with the last observation of the domain. */
export function presentEmailSetup({ hostname, mail }: Pick<ConnectionDetailRow, 'hostname' | 'mail'>) {
  const domain = registrableDomain(hostname);
  const present = <R extends { host: string }>(record: R) => ({
    ...record,
    relative_host: relativeHost(record.host, domain),
  });
  const situation: MailSituation = mail ? { current: mail.records, unknown: mail.unknown } : NOTHING_KNOWN;
  return MAILBOX_PROVIDERS.map((provider) => {
    const request = { provider, domain, dkim: [] };
    return {
      provider: provider.id,
      provider_name: provider.name,
      domain,
      records: mailChanges(request, situation).map((change) => ({
        ...present(change),
        replaces: change.replaces.map(present),
      })),
      existing: existingRecords(request, situation).map(present),
      notes: mailNotes(request, situation, null),
      observed_at: mail?.observed_at.toISOString() ?? null,
    };
  });
}
