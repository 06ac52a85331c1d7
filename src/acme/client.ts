import { calculateJwkThumbprint, FlattenedSign } from 'jose';
import { createPublicKey, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { Authorization, Jwk, Order, RenewalInfo } from './messages.ts';
import { AcmeError, AcmeUnreachable } from './problem.ts';
import { createTransport, parsed, type Signer, type Transport, type TransportOptions } from './transport.ts';

/** External account binding (RFC 8555 section 7.3.4): some CAs create accounts only for their customers. */
export interface ExternalAccount {
  keyId: string;
  /** The MAC key, base64url. */
  macKey: string;
}

export interface NewAccount {
  email?: string | undefined;
  externalAccount?: ExternalAccount | undefined;
}

export interface NewOrder {
  names: readonly string[];
  profile?: string | undefined;
  /** ARI id of the certificate that the new one replaces (RFC 9773 section 5). */
  replaces?: string | undefined;
}

/** A resource of an ACME server, and the time after which to read it again, if the server names one. */
export type Reading<T> = T & { retryAfterMs: number | null };

/** An ACME client (RFC 8555) of one account. Each call is one request, so a caller can resume after any of them. */
export interface AcmeClient {
  /** Creates the key's account, or finds it, and returns its URL. */
  register(account: NewAccount): Promise<string>;
  /** Places an order and returns its URL. */
  order(order: NewOrder): Promise<{ url: string; order: Order }>;
  readOrder(url: string): Promise<Reading<Order>>;
  readAuthorization(url: string): Promise<Reading<Authorization>>;
  /** Asks the CA to validate a challenge. */
  answer(challengeUrl: string): Promise<void>;
  finalize(order: Order, csr: Buffer): Promise<Reading<Order>>;
  /** Returns the chain as PEM, the certificate first. */
  download(url: string): Promise<string>;
  /** Returns null if the CA offers no renewal information. */
  renewalInfo(id: string): Promise<Reading<RenewalInfo> | null>;
  /** Returns the value of the TXT record for a token (RFC 8555 section 8.4). */
  dnsValue(token: string): Promise<string>;
  close(): Promise<void>;
}

export function createAcmeClient(key: KeyObject, accountUrl: string | null, options: TransportOptions): AcmeClient {
  const transport = createTransport(options);
  const jwk = Jwk.parse(createPublicKey(key).export({ format: 'jwk' }));
  const signer: Signer = { key, jwk, url: accountUrl };

  async function read<T extends Record<string, unknown>>(url: string, parse: (body: string) => T): Promise<Reading<T>> {
    const { body, retryAfterMs } = await transport.post(url, signer);
    return { ...parse(body), retryAfterMs };
  }

  return {
    async register({ email, externalAccount }) {
      const { newAccount } = await transport.directory();
      const answer = await transport.post(
        newAccount,
        { ...signer, url: null },
        {
          termsOfServiceAgreed: true,
          ...(email === undefined ? {} : { contact: [`mailto:${email}`] }),
          ...(externalAccount && { externalAccountBinding: await bind(externalAccount, newAccount, jwk) }),
        },
      );
      if (answer.location === undefined) throw new AcmeUnreachable('The certificate authority named no account.');
      signer.url = answer.location;
      return answer.location;
    },

    async order({ names, profile, replaces }) {
      const { newOrder } = await transport.directory();
      const { body, location } = await transport.post(newOrder, signer, {
        identifiers: names.map((value) => ({ type: 'dns', value })),
        ...(profile === undefined ? {} : { profile }),
        ...(replaces === undefined ? {} : { replaces }),
      });
      if (location === undefined) throw new AcmeUnreachable('The certificate authority named no order.');
      return { url: location, order: parsed(Order, body, 'order') };
    },

    readOrder: (url) => read(url, (body) => parsed(Order, body, 'order')),
    readAuthorization: (url) => read(url, (body) => parsed(Authorization, body, 'authorization')),

    async answer(url) {
      await transport.post(url, signer, {});
    },

    async finalize({ finalize }, csr) {
      const { body, retryAfterMs } = await transport.post(finalize, signer, { csr: csr.toString('base64url') });
      return { ...parsed(Order, body, 'order'), retryAfterMs };
    },

    download: async (url) => (await transport.post(url, signer)).body,
    renewalInfo: (id) => renewalInfo(transport, id),
    dnsValue: async (token) => hash('sha256', `${token}.${await calculateJwkThumbprint(jwk)}`, 'base64url'),
    close: () => transport.close(),
  };
}

async function renewalInfo(transport: Transport, id: string): Promise<Reading<RenewalInfo> | null> {
  const { renewalInfo: base } = await transport.directory();
  if (base === undefined) return null;
  try {
    const { body, retryAfterMs } = await transport.get(`${base.replace(/\/$/, '')}/${id}`);
    return { ...parsed(RenewalInfo, body, 'renewal information'), retryAfterMs };
  } catch (error) {
    // The CA does not know the certificate: it was issued elsewhere, or long ago.
    if (error instanceof AcmeError && error.status === 404) return null;
    throw error;
  }
}

const bind = ({ keyId, macKey }: ExternalAccount, url: string, jwk: Jwk) =>
  new FlattenedSign(new TextEncoder().encode(JSON.stringify(jwk)))
    .setProtectedHeader({ alg: 'HS256', kid: keyId, url })
    .sign(createSecretKey(macKey, 'base64url'));
