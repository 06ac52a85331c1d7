/** What tells deliveries apart when they are dispatched. */
export interface DispatchedDelivery {
  id: string;
  endpoint_id: string;
  connection_id: string | null;
}

/** So few are given a run each, in which an operator finds one delivery; more than that share one. */
const RUNS_MAX = 3;

/**
 * How deliveries that are due together are shared out among runs, as chains of ids. What one endpoint gets about one
 * connection is a chain, attempted in the order of the events. A run costs the Temporal server as much as a hundred
 * attempts cost us, so that under load the number of runs must not grow with the number of deliveries.
 */
export function dispatch(deliveries: readonly DispatchedDelivery[]): string[][][] {
  const chains = Map.groupBy(
    deliveries,
    ({ id, endpoint_id, connection_id }) => `${endpoint_id} ${connection_id ?? id}`,
  );
  const ids = [...chains.values()].map((chain) => chain.map(({ id }) => id));
  return ids.length <= RUNS_MAX ? ids.map((chain) => [chain]) : [ids];
}
