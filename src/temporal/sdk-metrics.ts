/** Address at which the core of Temporal's SDK serves metrics. A process has one core for all of its workers. */
let address: string | undefined;

export function setSdkMetricsAddress(bound: string): void {
  address = bound;
}

/** Returns the metrics of Temporal's SDK (`temporal_*`), which /metrics appends to our own; empty without a worker. */
export async function sdkMetrics(): Promise<string> {
  if (address === undefined) return '';
  try {
    const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(2_000) });
    return await response.text();
  } catch {
    return ''; // our own metrics must still be exported
  }
}
