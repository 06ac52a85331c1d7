import type { Failure } from './api.ts';

/** Reason why the input cannot be connected, with a corrected hostname if we have one. */
export interface Fault {
  key: 'faultEmpty' | 'faultShape' | 'faultReserved';
  suggestion: string | null;
}

/** `not_ready`: the tenant has not finished the widget's installation. */
export type ErrorKind = 'held' | 'quota' | 'unreachable' | 'not_ready' | 'other';

/** Whether the tenant has not allowed the origin of its page yet. */
export const isNotReady = ({ status, details }: Failure): boolean =>
  status === 403 && (details as { reason?: string } | null)?.reason === 'origin_not_allowed';

export const isSessionOver = ({ status }: Failure): boolean => status === 401 || status === 403;

export function errorKindOf(failure: Failure): ErrorKind {
  const { code, status } = failure;
  if (code === 'HostnameConflict') return 'held';
  if (code === 'QuotaExceeded') return 'quota';
  if (isNotReady(failure)) return 'not_ready';
  return status === 0 ? 'unreachable' : 'other';
}

/** Returns the customer's own connection from a HostnameConflict, or null if another customer has the hostname. */
export function ownConnection({ code, details }: Failure): string | null {
  if (code !== 'HostnameConflict') return null;
  return (details as { connection_id?: string | null } | null)?.connection_id ?? null;
}

/** Whether the fault is that of a URL or an email address, from which the widget takes the hostname. */
export const isInUrl = (code: string): boolean => ['scheme', 'path', 'port', 'userinfo'].indexOf(code) !== -1;

const RESERVED = ['reserved', 'public_suffix', 'own_host', 'wildcard', 'wildcard_needs_dns'];

export function faultOf(code: string, suggestion: string | undefined): Fault {
  const key = code === 'empty' ? 'faultEmpty' : RESERVED.indexOf(code) === -1 ? 'faultShape' : 'faultReserved';
  return { key, suggestion: suggestion ?? null };
}
