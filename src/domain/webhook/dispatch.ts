/** Facts by which deliveries are dispatched. */
export interface DispatchedDelivery {
  id: string;
  endpoint_id: string;
  connection_id: string | null;
}

/** Maximum number of deliveries in one run. Each is a search attribute value of 39 bytes, and Temporal stores 2 kB. */
const CARRIED_MAX = 50;

/**
 * Distributes due deliveries among workflow runs. Deliveries of one connection to one endpoint form a list, which is
 * attempted in order. A list that is alone gets its own run. Several lists share one, because a run costs the Temporal
 * server as much as many attempts cost the worker.
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
