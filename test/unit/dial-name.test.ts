import fc from 'fast-check';
import { decode, encode, type Packet } from 'dns-packet';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { addressesInName, dialName, MOST_ADDRESSES } from '../../src/edge/dial-name.ts';
import { startDialResponder } from '../../src/edge/dial-responder.ts';

const addresses = fc.array(fc.oneof(fc.ipV4(), fc.ipV6().map((text) => new URL(`http://[${text}]`).hostname.slice(1, -1))), {
  minLength: 1,
  maxLength: MOST_ADDRESSES,
}); // prettier-ignore

test('a dial name encodes its addresses, is a valid DNS name, and differs for each origin', () => {
  fc.assert(
    fc.property(addresses, fc.domain(), fc.domain(), (checked, one, other) => {
      const name = dialName(checked, one);
      expect(name.length).toBeLessThanOrEqual(254);
      expect(addressesInName(name)?.map((text) => new URL(text.includes(':') ? `http://[${text}]` : `http://${text}`).hostname)).toEqual(
        checked.map((text) => new URL(text.includes(':') ? `http://[${text}]` : `http://${text}`).hostname),
      ); // prettier-ignore
      expect(name === dialName(checked, other)).toBe(one.toLowerCase() === other.toLowerCase());
    }),
  );
});

test('the responder answers for dial names only', async () => {
  const responder = await startDialResponder('127.0.0.1', 0);
  const socket = createSocket('udp4');
  const ask = async (name: string, type: 'A' | 'AAAA'): Promise<Packet> => {
    socket.send(encode({ type: 'query', id: 7, questions: [{ name, type }] }), responder.port, '127.0.0.1');
    const [bytes] = (await once(socket, 'message')) as [Buffer];
    return decode(bytes);
  };
  const name = dialName(['192.0.2.1', '2001:db8::1'], 'shop.example').slice(0, -1);
  expect(await ask(name, 'A')).toMatchObject({ rcode: 'NOERROR', answers: [{ data: '192.0.2.1', ttl: 0 }] });
  expect(await ask(name, 'AAAA')).toMatchObject({ rcode: 'NOERROR', answers: [{ data: '2001:db8::1' }] });
  for (const other of ['localhost', 'shop.example', 'edge.invalid', `v4-7f.${name}`, name.replace('v4', 'v5')])
    expect(await ask(other, 'A')).toMatchObject({ rcode: 'NXDOMAIN', answers: [] });
  // Malformed packets get no answer and cause no failure.
  socket.send(Buffer.from('rubbish'), responder.port, '127.0.0.1');
  expect(await ask(name, 'A')).toMatchObject({ rcode: 'NOERROR' });
  socket.close();
  await responder.stop();
});
