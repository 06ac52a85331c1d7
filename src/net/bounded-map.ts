/** A map of at most `max` entries that evicts the oldest, for keys that strangers choose. */
export class BoundedMap<K, V> {
  private readonly entries = new Map<K, V>();
  private readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  get size(): number {
    return this.entries.size;
  }

  get(key: K): V | undefined {
    return this.entries.get(key);
  }

  set(key: K, value: V): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    const oldest = this.entries.keys().next();
    if (this.entries.size > this.max && !oldest.done) this.entries.delete(oldest.value);
  }

  delete(key: K): boolean {
    return this.entries.delete(key);
  }
}
