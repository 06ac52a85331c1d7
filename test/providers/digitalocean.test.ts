import { digitalocean } from '../../src/providers/digitalocean/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { start } from './doubles/digitalocean.ts';

const refused = (status: number, id: string, message: string) => ({ status, body: JSON.stringify({ id, message }) });

doubleConformance(digitalocean, start, {
  refusals: [
    {
      name: 'a conflict told as an unprocessable entity',
      code: 'conflict',
      answer: refused(422, 'unprocessable_entity', 'CNAME records cannot share a name with other records'),
    },
    {
      name: 'a fault of the record',
      code: 'validation',
      answer: refused(422, 'unprocessable_entity', 'IP address did not match IPv4 format.'),
    },
    {
      name: 'a token without the scope',
      code: 'forbidden_scope',
      answer: refused(403, 'forbidden', 'You are not authorized'),
    },
  ],
});
