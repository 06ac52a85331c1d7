import { route } from '../route.ts';
import { ProviderList } from '../schemas/providers.ts';

const list = route({
  method: 'get',
  path: '/providers',
  summary: 'List the DNS providers at which we can write records',
  needs: [],
  replies: { 200: ProviderList },
  errors: [],
  // The schema drops the private fields of the descriptors.
  handle: ({ deps }) => Promise.resolve({ status: 200, body: ProviderList.parse({ data: deps.providers }) }),
});

export const providerRoutes = [list];
