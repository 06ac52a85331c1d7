/** What bounds one call to a provider. An abort rejects with the signal's own reason; running out of time is `transient`. */
export interface Call {
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** Time as adapters know it: signatures and tokens read it, and waiting for an asynchronous change passes it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
