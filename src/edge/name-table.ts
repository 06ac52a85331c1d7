const FIRST_CAPACITY = 1_024;
const BYTES_PER_NAME = 24;

/**
 * A dense numbering of host names: each name added gets the next number, for good. A million names take about 40 MB
 * where a Map takes five times that, because the names lie in one block of bytes and not in a million strings. Names are
 * compared to the last byte: a hash that happens to fit never admits anybody.
 */
export class NameTable {
  private count = 0;
  /** Numbers plus one, found by hash with linear probing; 0 is empty. At most half full. */
  private slots = new Uint32Array(2 * FIRST_CAPACITY);
  private offsets = new Uint32Array(FIRST_CAPACITY);
  private bytes = new Uint8Array(FIRST_CAPACITY * BYTES_PER_NAME);
  private used = 0;
  /** Nobody outside can know which names collide. */
  private readonly seed = Math.floor(Math.random() * 0xffffffff);

  get size(): number {
    return this.count;
  }

  /** The name's number, or -1. */
  find(name: string): number {
    const mask = this.slots.length - 1;
    for (let at = this.hash(name) & mask; ; at = (at + 1) & mask) {
      const number = (this.slots[at] ?? 0) - 1;
      if (number < 0 || this.isAt(number, name)) return number;
    }
  }

  /** The name's number, which is `size` before the call if the name is new. Names are ASCII of at most 255 characters. */
  add(name: string): number {
    const known = this.find(name);
    if (known >= 0) return known;
    if (this.count === this.offsets.length) this.growNumbers();
    if (this.used + name.length + 1 > this.bytes.length) this.bytes = grown(this.bytes);
    const number = this.count++;
    this.offsets[number] = this.used;
    this.bytes[this.used++] = name.length;
    for (let i = 0; i < name.length; i++) this.bytes[this.used++] = name.charCodeAt(i);
    this.place(number, this.hash(name));
    return number;
  }

  private isAt(number: number, name: string): boolean {
    let at = this.offsets[number] ?? 0;
    if (this.bytes[at++] !== name.length) return false;
    for (let i = 0; i < name.length; i++) if (this.bytes[at++] !== name.charCodeAt(i)) return false;
    return true;
  }

  private place(number: number, hash: number): void {
    const mask = this.slots.length - 1;
    let at = hash & mask;
    while (this.slots[at] !== 0) at = (at + 1) & mask;
    this.slots[at] = number + 1;
  }

  private growNumbers(): void {
    const offsets = new Uint32Array(2 * this.offsets.length);
    offsets.set(this.offsets);
    this.offsets = offsets;
    this.slots = new Uint32Array(2 * offsets.length);
    for (let number = 0; number < this.count; number++) this.place(number, this.hashStored(number));
  }

  private hash(name: string): number {
    let hash = this.seed;
    for (let i = 0; i < name.length; i++) hash = mixed(hash, name.charCodeAt(i));
    return finished(hash);
  }

  private hashStored(number: number): number {
    const start = (this.offsets[number] ?? 0) + 1;
    const end = start + (this.bytes[start - 1] ?? 0);
    let hash = this.seed;
    for (let at = start; at < end; at++) hash = mixed(hash, this.bytes[at] ?? 0);
    return finished(hash);
  }
}

/** FNV-1a's step, and a final mix that lets every byte reach the low bits. */
const mixed = (hash: number, byte: number): number => Math.imul(hash ^ byte, 0x01000193);
function finished(hash: number): number {
  const folded = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (folded ^ (folded >>> 13)) >>> 0;
}

function grown(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * bytes.length);
  larger.set(bytes);
  return larger;
}
