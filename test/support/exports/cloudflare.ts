/**
 * A custom hostname of Cloudflare's `GET /zones/{zone_id}/custom_hostnames`, after
 * https://developers.cloudflare.com/api/resources/custom_hostnames/methods/list. On 2026-11-18 only excerpts of that page
 * were at hand: the list of fields, those of `ssl` above all, is not checked against the whole page or a real answer.
 */
export const customHostname = (hostname: string, changes: object = {}) => ({
  id: '5d6f0c1be8f34a0cb6c7a6f2a1b0c9d8',
  hostname,
  ssl: {
    id: '7b1de0b4-52f8-4f6a-9f5b-3a1f6d2c8e90',
    bundle_method: 'ubiquitous',
    certificate_authority: 'google',
    custom_certificate: '',
    custom_csr_id: '',
    custom_key: '',
    expires_on: '2027-01-20T10:00:00Z',
    hosts: [hostname],
    issuer: 'GoogleTrustServices',
    method: 'http',
    serial_number: '5512345678901234567890',
    settings: { ciphers: ['ECDHE-RSA-AES128-GCM-SHA256'], early_hints: 'on', http2: 'on', min_tls_version: '1.2', tls_1_3: 'on' }, // prettier-ignore
    signature: 'ECDSAWithSHA256',
    status: 'active',
    type: 'dv',
    uploaded_on: '2026-10-22T10:00:00Z',
    validation_errors: [],
    validation_records: [
      { http_body: 'token', http_url: `http://${hostname}/.well-known/acme-challenge/1`, status: 'pending' },
    ],
    wildcard: false,
  },
  created_at: '2025-02-06T18:11:23Z',
  custom_metadata: null as object | null,
  custom_origin_server: null as string | null,
  custom_origin_sni: null as string | null,
  ownership_verification: { name: `_cf-custom-hostname.${hostname}`, type: 'txt', value: '3f1c0a62' },
  ownership_verification_http: { http_body: '3f1c0a62', http_url: `http://${hostname}/.well-known/cf-custom-hostname-challenge/1` }, // prettier-ignore
  status: 'active',
  verification_errors: [],
  ...changes,
});

/** A page of the list, in the envelope that every answer of the API has. */
export const customHostnames = (result: readonly object[], total = result.length) => ({
  errors: [],
  messages: [],
  success: true,
  result,
  result_info: { count: result.length, page: 1, per_page: 50, total_count: total, total_pages: Math.ceil(total / 50) },
});
