import { useEffect, useState } from 'preact/hooks';

/** A value that components follow. */
export interface Store<T> {
  get(): T;
  set(value: T): void;
  subscribe(listener: () => void): () => void;
}

export function storeOf<T>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Returns the store's value, and renders the component again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, render] = useState({});
  const value = store.get();
  useEffect(() => {
    // The value may have changed between the first render and this effect.
    if (!Object.is(store.get(), value)) render({});
    return store.subscribe(() => render({}));
  }, [store]);
  return value;
}
