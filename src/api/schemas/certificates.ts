import { z } from 'zod';
import { CERTIFICATE_SOURCES } from '../../domain/certificate/certificate.ts';
import { Timestamp } from './common.ts';

const Chain = z.string().min(1).meta({
  description: 'The certificate and its intermediate certificates as PEM, the certificate first.',
  example: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----\n',
});

export const PutCertificate = z.strictObject({
  certificate_chain: Chain,
  private_key: z.string().min(1).optional().meta({
    description:
      'Private key as PEM, without a passphrase. Leave it out if the certificate belongs to a signing request of ours. It is never returned or logged.',
    example: '-----BEGIN PRIVATE KEY-----\nMIGH…\n-----END PRIVATE KEY-----\n',
  }),
});

export const Certificate = z
  .object({
    status: z
      .enum(['none', 'pending', 'issued', 'failed', 'expired'])
      .meta({ description: 'Status of the certificate.', example: 'pending' }),
    not_after: Timestamp.nullable().meta({
      description: 'Time at which the certificate expires.',
      example: '2026-06-30T12:00:00.000Z',
    }),
    ca: z.string().nullable().meta({ description: 'Certificate authority that issued it.', example: "Let's Encrypt" }),
    source: z.enum(CERTIFICATE_SOURCES).nullable().meta({
      description:
        '`edge`: the edge obtained it at the first visit. `ordered`: this service ordered it before (DNS-01). `uploaded`: the tenant uploaded it. Null if there is none.',
      example: 'edge',
    }),
    serial: z.string().nullable().meta({ description: 'Serial number, hexadecimal.', example: '03F1A2' }),
    names: z.array(z.string()).meta({ description: 'Hostnames in the certificate.', example: ['shop.brand.test'] }),
    imported: z.boolean().meta({
      description:
        'Whether another server obtained it, from which the operator imported it. Its successor is obtained at `renew_at`.',
      example: false,
    }),
    renew_at: Timestamp.nullable().meta({
      description: 'Time from which it is renewed. Null for an uploaded one, which the tenant renews.',
      example: '2026-05-30T12:00:00.000Z',
    }),
  })
  .meta({ description: 'Certificate that the edge serves.' });

export const SigningRequest = z.object({
  csr: z.string().meta({
    description: 'Certificate signing request (PKCS #10) as PEM. Its private key stays with us for 30 days.',
    example: '-----BEGIN CERTIFICATE REQUEST-----\nMIIB…\n-----END CERTIFICATE REQUEST-----\n',
  }),
});
