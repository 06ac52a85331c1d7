import { certificateOf, leaveUpload } from '../../db/certificate/certificates.ts';
import { lockConnection } from '../../db/connection/connections.ts';
import type { ConnectionRow } from '../../db/connection/connection-row.ts';
import { recordServed, servedChange } from '../../certificates/served.ts';
import { judgeUpload, type Problem } from '../../certificates/upload.ts';
import { dropCertificate, requestedKey, requestSigning, saveCertificate } from '../../certificates/save.ts';
import { untilEveryCopyKnows } from '../../edge/barrier.ts';
import { PROVED } from '../../domain/connection/state-sets.ts';
import { invalid, notFound } from '../../domain/errors.ts';
import { beginOrder } from '../../ordering/begin.ts';
import { isOrdered } from '../../ordering/ensure.ts';
import { reach, refuseUnserved } from '../caller.ts';
import { presentCertificate } from '../present.ts';
import { route } from '../route.ts';
import { Certificate, PutCertificate, SigningRequest } from '../schemas/certificates.ts';
import { Id, Nothing } from '../schemas/common.ts';

/** Limit for the whole body, far above a chain of four certificates with a key. */
const MAX_BYTES = 16 * 1_024;

const put = route({
  method: 'put',
  path: '/connections/{id}/certificate',
  summary: "Serve the tenant's own certificate for a hostname",
  needs: ['apps:admin'],
  audit: 'certificate.uploaded',
  params: Id,
  body: PutCertificate,
  replies: { 200: Certificate },
  errors: ['not_found', 'invalid_state'],
  async handle({ caller, params, body, deps, tx, now }) {
    const row = refuseUnserved(reach(caller, await lockConnection(tx, params.id)));
    if (Buffer.byteLength(JSON.stringify(body)) > MAX_BYTES)
      throw refused([{ code: 'too_large', field: 'certificate_chain', message: 'The body is larger than 16 kB.' }]);
    const key = body.private_key ?? (await requestedKey(tx, deps.vault, row.id));
    if (key === null) throw refused([NO_KEY]);
    const upload = { hostname: row.hostname, chain: body.certificate_chain, privateKey: key };
    const judged = judgeUpload(upload, deps.uploadRoots(), now);
    if (judged.outcome === 'refused') throw refused(judged.problems);
    const saved = await saveCertificate(tx, deps.vault, row, { source: 'uploaded', chain: judged.chain, key }, now);
    await recordServed(tx, row, saved, now);
    return { status: 200, body: presentCertificate(servedChange(saved, now)), audited: auditedOf(row) };
  },
  // The answer means that the certificate is served.
  afterCommit: ({ params, deps: { pool } }) => untilEveryCopyKnows(pool, { connectionId: params.id }),
});

const request = route({
  method: 'post',
  path: '/connections/{id}/certificate:csr',
  summary: 'Create a private key that stays with us, and get a signing request for your certificate authority',
  needs: ['apps:admin'],
  audit: 'certificate.requested',
  params: Id,
  replies: { 201: SigningRequest },
  errors: ['not_found', 'invalid_state'],
  async handle({ caller, params, deps, tx, now }) {
    const row = refuseUnserved(reach(caller, await lockConnection(tx, params.id)));
    return { status: 201, body: { csr: await requestSigning(tx, deps.vault, row, now) }, audited: auditedOf(row) };
  },
});

const remove = route({
  method: 'delete',
  path: '/connections/{id}/certificate',
  summary:
    "Stop serving the tenant's own certificate. 202: it serves until its successor, which is being ordered, is there.",
  needs: ['apps:admin'],
  audit: 'certificate.removed',
  params: Id,
  replies: { 202: Certificate, 204: Nothing },
  errors: ['not_found', 'invalid_state'],
  async handle({ caller, params, deps: { vault, ordersAt: directory }, tx, now }) {
    const row = refuseUnserved(reach(caller, await lockConnection(tx, params.id)));
    const next = await certificateOf(tx, row.id, 'ordered');
    if (isOrdered(row) && PROVED.has(row.state) && next === null && directory !== null) {
      if (!(await leaveUpload(tx, row.id))) throw notFound();
      await beginOrder(tx, vault, row, { directory, now });
      return { status: 202, body: presentCertificate(row), audited: auditedOf(row) };
    }
    if (!(await dropCertificate(tx, row.id, 'uploaded', now))) throw notFound();
    await recordServed(tx, row, next, now);
    return { status: 204, body: null, audited: auditedOf(row) };
  },
  afterCommit: ({ params, deps: { pool } }) => untilEveryCopyKnows(pool, { connectionId: params.id }),
});

export const certificateRoutes = [put, request, remove];

const NO_KEY: Problem = {
  code: 'key_mismatch',
  field: 'private_key',
  message: 'Send the private key, or create a signing request first.',
};

const refused = (problems: readonly Problem[]) =>
  invalid(
    problems.map(({ code, field, message }) => ({ path: `body.${field}`, code, message: `body.${field}: ${message}` })),
  );

const auditedOf = ({ id, environment }: ConnectionRow) => ({ id, environment });
