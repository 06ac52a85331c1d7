import type { MailNoteCode } from '../../domain/email/mail-notes.ts';
import type { EmailWords } from '../../locales/words.ts';
import type { EmailSetup } from '../api.ts';
import type { Translate } from '../translator.ts';

/** Text of each note. The policy of `dmarc_strict` decides between two texts. */
const BY_CODE: Readonly<Record<Exclude<MailNoteCode, 'dmarc_strict'>, keyof EmailWords>> = {
  mx_stays: 'mxStays',
  null_mx: 'nullMx',
  spf_several: 'spfSeveral',
  spf_merge: 'spfMerge',
  spf_new: 'spfNew',
  spf_fault: 'spfFault',
  spf_plus_all: 'spfPlusAll',
  spf_lookups: 'spfLookups',
  spf_unread: 'spfUnread',
  spf_long: 'spfLong',
  dmarc_several: 'dmarcSeveral',
  dmarc_invalid: 'dmarcInvalid',
  taken: 'taken',
  dkim_targets: 'dkimTargets',
  dkim_key: 'dkimKey',
  unknown_names: 'unknownNames',
};

const isKnown = (code: string): code is keyof typeof BY_CODE => Object.prototype.hasOwnProperty.call(BY_CODE, code);

/** Returns a note in the customer's language. A note of a later release stays in English. */
export function noteText(
  { code, params, message }: EmailSetup['notes'][number],
  t: Translate<keyof EmailWords>,
): string {
  if (code === 'dmarc_strict') return t(params['policy'] === 'reject' ? 'dmarcReject' : 'dmarcQuarantine', params);
  return isKnown(code) ? t(BY_CODE[code], params) : message;
}
