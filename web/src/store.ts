/** A value that components can watch: the smallest store that React's own hook needs. */

import { useSyncExternalStore } from "react";

export interface Store<Value> {
  get(): Value;
  set(change: Partial<Value>): void;
  subscribe(listener: () => void): () => void;
}

export function createStore<Value extends object>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(change) {
      value = { ...value, ...change };
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<Value extends object, Picked>(store: Store<Value>, pick: (value: Value) => Picked): Picked {
  return useSyncExternalStore(store.subscribe, () => pick(store.get()));
}
