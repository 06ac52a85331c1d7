/** Asks an agent as Caddy does, and returns the status of its answer. */
export async function questionStatus(port: number, path: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/internal/${path}`);
  await answer.body?.cancel();
  // An agent counts some of the requests that it forwards. For those it leaves a 200 open in place of a 204.
  return answer.status === 200 && answer.headers.has('x-origin-dial') ? 204 : answer.status;
}
