import { freePort } from '../../src/embedded/ports.ts';

test('a process does not get the same port again before it could open it', async () => {
  const ports: number[] = [];
  for (let i = 0; i < 300; i++) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
});
