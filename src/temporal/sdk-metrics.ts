/** Address at which the SDK's core exports metrics. There is one core for each process. */
let address: string | undefined;

export function setSdkMetricsAddress(bound: string): void {
  address = bound;
}

/** Returns the SDK's metrics (`temporal_*`), which follow ours; empty without a worker. */
export async function sdkMetrics(): Promise<string> {
  if (address === undefined) return '';
  try {
    const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(2_000) });
    return await response.text();
  } catch {
    return ''; // our own metrics must still be exported
  }
}
