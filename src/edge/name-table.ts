const FIRST_CAPACITY = 1_024;
const BYTES_PER_NAME = 32;
const MAX_NAME = 255;
/** Each name is preceded by its number (four bytes), its tag and its length. */
const HEADER = 6;
const TAG = 4;
const LENGTH = 5;
const [STAR, DOT] = [0x2a, 0x2e];

/**
 * A dense numbering of hostnames. A million names take about 60 MB, a third of a Map. Names are compared byte by byte,
 * so a colliding hash admits no other name. A one-byte tag next to the hash holds the most frequent answer.
 */
export class NameTable {
  private count = 0;
  /** Pairs of a hash and a name's offset plus one, with linear probing; 0 is empty. At most half full. */
  private slots = new Uint32Array(2 * 2 * FIRST_CAPACITY);
  private bytes = new Uint8Array(FIRST_CAPACITY * BYTES_PER_NAME);
  private used = 0;
  /** The requested name as bytes, which are faster to read than the characters of a sliced string. */
  private readonly asked = Buffer.alloc(3 * MAX_NAME);
  /** Random, so that no client knows which names collide. */
  private readonly seed = Math.floor(Math.random() * 0xffffffff);

  get size(): number {
    return this.count;
  }

  /** Returns the offset of the name, or -1. */
  find(name: string): number {
    if (name.length > MAX_NAME) return -1;
    const length = this.asked.write(name);
    return this.findAsked(0, length, hashOf(this.asked, 0, length, this.seed));
  }

  /** Returns the offset of the name with a star as its first label, or -1. */
  findWildcard(name: string): number {
    if (name.length > MAX_NAME) return -1;
    const length = this.asked.write(name);
    const dot = this.asked.indexOf(DOT);
    if (dot < 1 || dot >= length) return -1;
    const start = dot - 1;
    this.asked[start] = STAR;
    return this.findAsked(start, length, hashOf(this.asked, start, length, this.seed));
  }

  /** Adds a name and returns its permanent offset. A new name gets the number `size` and the tag 0. */
  add(name: string): number {
    const length = name.length > MAX_NAME ? Infinity : this.asked.write(name);
    if (length > MAX_NAME) throw new RangeError('A name has at most 255 bytes.');
    const hash = hashOf(this.asked, 0, length, this.seed);
    const known = this.findAsked(0, length, hash);
    if (known >= 0) return known;
    if (4 * (this.count + 1) > this.slots.length) this.growSlots();
    const place = this.used;
    this.used += HEADER + length;
    if (this.used > this.bytes.length) this.growBytes();
    takeSlot(this.slots, hash, place);
    for (let i = 0; i < TAG; i++) this.bytes[place + i] = this.count >>> (8 * i);
    this.bytes[place + LENGTH] = length;
    this.bytes.set(this.asked.subarray(0, length), place + HEADER);
    this.count++;
    return place;
  }

  /** Returns every name with its offset, in the order of addition. */
  *entries(): Generator<{ name: string; place: number }> {
    for (let place = 0; place < this.used;) {
      const start = place + HEADER;
      const end = start + (this.bytes[place + LENGTH] ?? 0);
      yield { name: Buffer.from(this.bytes.subarray(start, end)).toString(), place };
      place = end;
    }
  }

  numberAt(place: number): number {
    let number = 0;
    for (let i = 0; i < TAG; i++) number += (this.bytes[place + i] ?? 0) << (8 * i);
    return number;
  }

  tagAt(place: number): number {
    return this.bytes[place + TAG] ?? 0;
  }

  setTag(place: number, tag: number): void {
    this.bytes[place + TAG] = tag;
  }

  /** Finds the requested bytes from `start` to `end`. */
  private findAsked(start: number, end: number, hash: number): number {
    const { slots } = this;
    const mask = slots.length - 1;
    for (let at = (hash << 1) & mask; ; at = (at + 2) & mask) {
      const place = (slots[at + 1] ?? 0) - 1;
      if (place < 0 || (slots[at] === hash && this.isAskedAt(place, start, end))) return place;
    }
  }

  private isAskedAt(place: number, start: number, end: number): boolean {
    const { bytes, asked } = this;
    if (bytes[place + LENGTH] !== end - start) return false;
    for (let i = start, at = place + HEADER; i < end; i++, at++) if (bytes[at] !== asked[i]) return false;
    return true;
  }

  private growSlots(): void {
    const { bytes, seed, used } = this;
    this.slots = new Uint32Array(2 * this.slots.length);
    for (let place = 0; place < used;) {
      const name = place + HEADER;
      const end = name + (bytes[place + LENGTH] ?? 0);
      takeSlot(this.slots, hashOf(bytes, name, end, seed), place);
      place = end;
    }
  }

  private growBytes(): void {
    const larger = new Uint8Array(2 * this.bytes.length);
    larger.set(this.bytes);
    this.bytes = larger;
  }
}

function takeSlot(slots: Uint32Array, hash: number, place: number): void {
  const mask = slots.length - 1;
  let at = (hash << 1) & mask;
  while (slots[at + 1] !== 0) at = (at + 2) & mask;
  slots[at] = hash;
  slots[at + 1] = place + 1;
}

/** FNV-1a with a final mix, so that every byte affects the low bits. */
function hashOf(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  const folded = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return (folded ^ (folded >>> 13)) >>> 0;
}
