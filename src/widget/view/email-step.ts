import type * as email from '../email.ts';
import type { View } from './context.ts';

/** Set by the build: the file of the email step. */
declare const EMAIL_FILE: string;

/** As a ref: fills the place with the email step, where the tenant's application lets browsers set up mail. */
export const emailStep = (view: View) => (place: HTMLElement | null) => {
  if (place === null) return;
  if (view.state.connection?.widget_email !== true) console.warn('[svc] widget_email is off.');
  else void import(`${view.baseUrl}/sdk/v1/${EMAIL_FILE}`).then(({ show }: typeof email) => show(place, view));
};
