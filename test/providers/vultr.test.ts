import { vultr } from '../../src/providers/vultr/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { start } from './doubles/vultr.ts';

const refused = (status: number, error: string) => ({ status, body: JSON.stringify({ error, status }) });

doubleConformance(vultr, start, {
  refusals: [
    {
      name: 'an address that is not on the list',
      code: 'auth_failed',
      answer: refused(401, 'Unauthorized IP address: 192.0.2.1'),
    },
    { name: '503', code: 'rate_limited', retryAfterSeconds: 1, answer: { status: 503 } },
    {
      name: 'a conflict',
      code: 'conflict',
      answer: refused(400, 'Unable to add record: a CNAME record conflicts with another record.'),
    },
    { name: 'a fault of the record', code: 'validation', answer: refused(400, 'Invalid record type.') },
  ],
});
