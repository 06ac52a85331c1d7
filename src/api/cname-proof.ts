import { isTargetApproved } from '../db/connection/cname-targets.ts';
import type { Tx } from '../db/pool.ts';
import { kindOf } from '../dns/suffix.ts';
import { isWildcard } from '../domain/certificate/dns-validation.ts';
import { invalid, ServiceError } from '../domain/errors.ts';

/** The facts of a requested hostname that decide whether a CNAME can prove it. */
interface Provable {
  hostname: string;
  /** Field of the request that holds the hostname, for error messages. */
  path: string;
  serve: boolean;
  /** Undefined if the TXT record is the proof. */
  proof_target?: string;
}

/** Returns the imported hostnames that a CNAME cannot prove, each with its refusal. */
export async function unprovable<R extends Provable>(
  tx: Tx,
  { tenantId, isOn }: { tenantId: string; isOn: boolean },
  hostnames: readonly R[],
): Promise<{ requested: R; refusal: ServiceError }[]> {
  const approved = new Set<string>();
  for (const target of new Set(hostnames.flatMap(({ proof_target }) => proof_target ?? [])))
    if (await isTargetApproved(tx, tenantId, target)) approved.add(target);
  return hostnames.flatMap((requested) => {
    const refusal = refusalOf(requested, isOn, approved);
    return refusal === null ? [] : [{ requested, refusal }];
  });
}

function refusalOf(
  { hostname, path, serve, proof_target: target }: Provable,
  isOn: boolean,
  approved: ReadonlySet<string>,
): ServiceError | null {
  if (target === undefined) return null;
  if (!isOn) return new ServiceError('forbidden', 'No CNAME proves a hostname here: IMPORT_CNAME_PROOF is off.');
  if (!approved.has(target))
    return new ServiceError(
      'forbidden',
      `${target} is not an approved target of the tenant. Run targets approve first.`,
    );
  const refuse = (code: string, reason: string) => invalid([{ path, code, message: `${path}: ${reason}` }]);
  if (!serve) return refuse('not_served', 'a connection that wants records only is proved by TXT.');
  if (isWildcard(hostname)) return refuse('wildcard', 'a wildcard is proved by TXT.');
  if (kindOf(hostname) === 'apex')
    return refuse('apex', `${hostname} is an apex, which has no CNAME. Prove it by TXT.`);
  return null;
}
