import { createPublicKey, type KeyObject } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PublicKey } from '../db/edge/registered-edges.ts';
import { keyOfPem, newPrivateKey } from '../x509/keys.ts';

/** An edge's key pair: the control plane encrypts for the public half, and the private half never leaves the edge. */
export interface EdgeKey {
  privateKey: KeyObject;
  publicKey: PublicKey;
}

/** Reads the key pair, or creates it. Several processes of an edge may start together; all get the same one. */
export async function readEdgeKey(file: string): Promise<EdgeKey> {
  const privateKey = keyOfPem((await read(file)) ?? (await create(file)));
  return { privateKey, publicKey: PublicKey.parse(createPublicKey(privateKey).export({ format: 'jwk' })) };
}

async function create(file: string): Promise<string> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const aside = `${file}.${process.pid}`;
  await writeFile(aside, await newPrivateKey(), { mode: 0o600 });
  // A link fails if another process was faster, and never shows half a file.
  await link(aside, file).catch(unless('EEXIST'));
  await rm(aside);
  return readFile(file, 'utf8');
}

const read = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(unless('ENOENT'));

/** Returns a handler that passes every error on but this one. */
const unless = (code: string) => (error: unknown) => {
  if (!(error instanceof Error && 'code' in error && error.code === code)) throw error;
  return undefined;
};
