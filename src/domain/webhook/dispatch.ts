/** What tells deliveries apart when they are dispatched. */
export interface DispatchedDelivery {
  id: string;
  endpoint_id: string;
  connection_id: string | null;
}

/** A run is found by each event in it, and Temporal keeps 2 kB of such labels: 39 bytes for an id. */
const CARRIED_MAX = 50;

/**
 * How deliveries that are due together are shared out among runs, as chains of ids. What one endpoint gets about one
 * connection is a chain, attempted in the order of the events. A chain alone has its run to itself; several share one,
 * because a run costs the Temporal server as much as many attempts cost us, and under load the number of runs must not
 * grow with the number of deliveries.
 */
export function dispatch(deliveries: readonly DispatchedDelivery[]): string[][][] {
  const chains = Map.groupBy(
    deliveries,
    ({ id, endpoint_id, connection_id }) => `${endpoint_id} ${connection_id ?? id}`,
  );
  const runs: { chains: string[][]; carried: number }[] = [];
  for (const chain of chains.values()) {
    for (let from = 0; from < chain.length; from += CARRIED_MAX) {
      const ids = chain.slice(from, from + CARRIED_MAX).map(({ id }) => id);
      const open = runs.at(-1);
      if (open && open.carried + ids.length <= CARRIED_MAX) {
        open.chains.push(ids);
        open.carried += ids.length;
      } else runs.push({ chains: [ids], carried: ids.length });
    }
  }
  return runs.map((run) => run.chains);
}
