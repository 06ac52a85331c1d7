import { route } from '../route.ts';
import { ProviderList } from '../schemas/providers.ts';

const list = route({
  method: 'get',
  path: '/providers',
  summary: 'List the DNS providers that records can be written at',
  needs: [],
  replies: { 200: ProviderList },
  errors: [],
  // Through the schema, because descriptors hold more than the outside may see.
  handle: ({ deps }) => Promise.resolve({ status: 200, body: ProviderList.parse({ data: deps.providers }) }),
});

export const providerRoutes = [list];
