import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

/** Hears of the copy from which answers are made. */
export interface CopyWatcher {
  /** The copy changed. Called before the change is acknowledged. */
  changed(): void;
  /** The copy is trusted until then, by `performance.now`; 0 if it is not trusted. */
  trusted(until: number): void;
}

/**
 * The generation of the agent's answers, in a file that the edge's own Caddy reads at each request. Caddy may use an
 * answer again while the file contains the answer's generation and the agent's lease runs. A change writes a new
 * generation before it is acknowledged, so no message between the two processes is needed: both are on one machine, where
 * a read returns the last write.
 *
 * The record has 56 bytes: id of the boot (36), generation (8), end of the lease by CLOCK_MONOTONIC in nanoseconds (8),
 * and a checksum (4), because a read during a write may return parts of both.
 */
export class AnswerGeneration implements CopyWatcher {
  private readonly file: number;
  private readonly record = Buffer.alloc(56);
  private trustedUntil = 0;
  private text = '';

  constructor(path: string) {
    // Never truncated or replaced: Caddy has it open.
    this.file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o644);
    this.record.write(readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
    this.changed();
  }

  /** Returns the generation of answers that are made now; undefined while the copy is not trusted. */
  get current(): string | undefined {
    return performance.now() < this.trustedUntil ? this.text : undefined;
  }

  changed(): void {
    const generation = randomBytes(8);
    generation.copy(this.record, 36);
    this.text = generation.toString('hex');
    this.write();
  }

  trusted(until: number): void {
    this.trustedUntil = until;
    this.write();
  }

  stop(): Promise<void> {
    this.trusted(0);
    closeSync(this.file);
    return Promise.resolve();
  }

  private write(): void {
    // The clock is read first: if the process is stopped in between, the lease in the file ends early and not late.
    const now = process.hrtime.bigint();
    const left = Math.max(0, this.trustedUntil - performance.now());
    this.record.writeBigUInt64BE(left === 0 ? 0n : now + BigInt(Math.floor(left * 1e6)), 44);
    this.record.writeUInt32BE(crc32(this.record.subarray(0, 52)), 52);
    writeSync(this.file, this.record, 0, this.record.length, 0);
  }
}
