import { z } from 'zod';
import { SETUP_TYPES } from '../../domain/connection/connection.ts';
import { ProviderSlug } from './common.ts';

export const Capabilities = z.object({
  cname_flattening: z.boolean().meta({ description: 'Whether an apex can point at a name.' }),
  wildcard: z.boolean().meta({ description: 'Whether wildcard records are possible.' }),
  caa: z.boolean().meta({ description: 'Whether CAA records are possible.' }),
  multi_txt: z.boolean().meta({ description: 'Whether a name can have several TXT records.' }),
  ns_delegation: z.boolean().meta({ description: 'Whether a subdomain can be delegated.' }),
});

const Provider = z
  .object({
    slug: ProviderSlug,
    name: z.string().meta({ description: 'Name of the provider.', example: 'Cloudflare' }),
    category: z.enum(['token', 'cloud', 'additional']).meta({
      description: 'Kind of provider: `token` and `cloud` for the first nineteen, `additional` for the others.',
    }),
    setup_types: z
      .array(z.enum(SETUP_TYPES))
      .readonly()
      .meta({ description: 'How hostnames at the provider can be connected.', example: ['automatic', 'manual'] }),
    auth: z
      .object({
        fields: z
          .array(
            z.object({
              name: z.string().meta({ description: 'Name of the field in `credentials`.', example: 'api_token' }),
              label: z.string().meta({ description: 'Label for a form.', example: 'API token' }),
              secret: z.boolean().meta({ description: 'Whether the value is secret.' }),
              required: z.boolean().meta({ description: 'Whether the field is required.' }),
              help: z.string().meta({
                description: 'Where to find the value.',
                example: 'Create a token with the permission Zone.DNS: Edit.',
              }),
            }),
          )
          .readonly()
          .meta({ description: 'Fields of the credential.' }),
      })
      .meta({ description: 'What a credential needs.' }),
    capabilities: Capabilities.loose().meta({ description: 'What the provider supports.' }),
    nameserver_patterns: z
      .array(z.string())
      .readonly()
      .meta({ description: 'Name servers by which we recognize the provider.', example: ['*.ns.cloudflare.com'] }),
    domain_connect: z.boolean().meta({ description: 'Whether the provider offers Domain Connect.' }),
    control_panel_url: z
      .string()
      .nullable()
      .meta({ description: 'Page where customers edit DNS, or null.', example: 'https://dash.cloudflare.com' }),
    limitations: z.array(z.string()).readonly().meta({ description: 'Known limitations, in English.', example: [] }),
  })
  .meta({ id: 'Provider' });

export type ProviderDescription = Omit<z.infer<typeof Provider>, 'capabilities'> & { capabilities: object };

export const ProviderList = z.object({ data: z.array(Provider).meta({ description: 'Every provider.' }) });
