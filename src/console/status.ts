import { storeOf } from './store.ts';

/** Whether the service answered the last request. */
export const reachable = storeOf(true);
export const reportReachable = (value: boolean): void => reachable.set(value);
