/** Where the SDK's core tells its metrics; like the core itself, one for the whole process. */
let address: string | undefined;

export function tellSdkMetricsAt(bound: string): void {
  address = bound;
}

/** What Prometheus reads of the SDK (`temporal_*`), to stand behind our own; nothing where no worker runs. */
export async function sdkMetrics(): Promise<string> {
  if (address === undefined) return '';
  try {
    const response = await fetch(`http://${address}/metrics`, { signal: AbortSignal.timeout(2_000) });
    return await response.text();
  } catch {
    return ''; // ours must be told all the same
  }
}
