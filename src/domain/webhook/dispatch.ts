export interface DispatchedDelivery {
  id: string;
  endpoint_id: string;
  connection_id: string | null;
}

/** Maximum number of deliveries in one run. Each is a search attribute value of 39 bytes, and Temporal stores 2 kB. */
const DELIVERIES_PER_RUN = 50;

/** Distributes due deliveries: a list per connection and endpoint, in order. Lists share runs, which are expensive. */
export function dispatch(deliveries: readonly DispatchedDelivery[]): string[][][] {
  const lists = Map.groupBy(
    deliveries,
    ({ id, endpoint_id, connection_id }) => `${endpoint_id} ${connection_id ?? id}`,
  );
  const runs: string[][][] = [];
  for (const list of lists.values()) {
    for (let from = 0; from < list.length; from += DELIVERIES_PER_RUN) {
      const ids = list.slice(from, from + DELIVERIES_PER_RUN).map(({ id }) => id);
      const last = runs.at(-1);
      if (last && last.flat().length + ids.length <= DELIVERIES_PER_RUN) last.push(ids);
      else runs.push([ids]);
    }
  }
  return runs;
}
