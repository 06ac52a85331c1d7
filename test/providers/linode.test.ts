import { linode } from '../../src/providers/linode/adapter.ts';
import { doubleConformance } from './double-conformance.ts';
import { start } from './doubles/linode.ts';

const refused = (status: number, reason: string) => ({
  status,
  body: JSON.stringify({ errors: [{ reason, field: 'name' }] }),
});

doubleConformance(linode, start, {
  refusals: [
    { name: 'a conflict', code: 'conflict', answer: refused(400, 'Record conflict - CNAMES must be unique') },
    { name: 'a fault of the record', code: 'validation', answer: refused(400, 'Invalid type') },
    {
      name: 'a token without the scope',
      code: 'forbidden_scope',
      answer: refused(403, 'Your OAuth token is not authorized to use this endpoint.'),
    },
  ],
});
