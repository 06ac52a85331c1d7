import { randomFillSync } from 'node:crypto';

/** Cryptographic random bytes from a pool. A system call for each would cost more than the query it protects. */
export function createRandomPool(size = 8_192): { byte(): number; uint16(): number } {
  const pool = Buffer.alloc(size);
  let used = size;
  const byte = (): number => {
    if (used === size) {
      randomFillSync(pool);
      used = 0;
    }
    return pool[used++] ?? 0;
  };
  return { byte, uint16: () => (byte() << 8) | byte() };
}
