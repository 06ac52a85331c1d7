/** A body is larger than its reader accepts. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** Yields the chunks of a body; throws BodyTooLarge beyond `maxBytes`, which destroys the stream and its connection. */
export async function* cappedChunks(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    yield chunk;
    size += chunk.length;
    if (size > maxBytes) throw new BodyTooLarge(`The body is larger than ${maxBytes} bytes.`);
  }
}

/** Reads a whole body as UTF-8. Throws BodyTooLarge if the body exceeds `maxBytes`. */
export async function readBody(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of cappedChunks(body, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
