/** What bounds one call to a provider. An abort rejects with the signal's own reason; running out of time is `transient`. */
export interface Call {
  signal?: AbortSignal;
  timeoutMs?: number;
}
