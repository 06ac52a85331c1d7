import type * as email from '../email.ts';
import type { View } from './context.ts';

/** Set by the build: the file of the email step. */
declare const EMAIL_FILE: string;

/** As a ref: fills the place with the email step, where the tenant's application lets browsers set up mail. */
export const emailStep =
  ({ state: { connection }, options: { token }, baseUrl, locale }: View) =>
  (place: HTMLElement | null): void => {
    if (place === null || connection === null || place.firstChild) return;
    const { id: connectionId, hostname: domain, widget_email } = connection;
    if (!widget_email) console.warn('[svc] email: widget_email is off.');
    else
      void (import(`${baseUrl}/sdk/v1/${EMAIL_FILE}`) as Promise<typeof email>).then(({ show }) =>
        show(place, { baseUrl, token, connectionId, domain, locale }),
      );
  };
