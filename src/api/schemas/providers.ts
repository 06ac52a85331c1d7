import { z } from 'zod';
import { SETUP_TYPES } from '../../domain/connection/connection.ts';
import { ProviderSlug } from './common.ts';

export const Capabilities = z.object({
  cname_flattening: z.boolean(),
  wildcard: z.boolean(),
  caa: z.boolean(),
  multi_txt: z.boolean(),
  ns_delegation: z.boolean(),
});

const Provider = z
  .object({
    slug: ProviderSlug,
    name: z.string().meta({ example: 'Cloudflare' }),
    category: z.enum(['token', 'cloud', 'self_hosted']),
    setup_types: z
      .array(z.enum(SETUP_TYPES))
      .readonly()
      .meta({ example: ['automatic', 'manual'] }),
    auth: z.object({
      fields: z
        .array(
          z.object({
            name: z.string().meta({ example: 'api_token' }),
            label: z.string().meta({ example: 'API token' }),
            secret: z.boolean(),
            required: z.boolean(),
            help: z.string().meta({ example: 'Create a token with the permission Zone.DNS: Edit.' }),
          }),
        )
        .readonly(),
    }),
    capabilities: Capabilities.loose(),
    nameserver_patterns: z
      .array(z.string())
      .readonly()
      .meta({ example: ['*.ns.cloudflare.com'] }),
    domain_connect: z.boolean(),
    control_panel_url: z.string().nullable().meta({ example: 'https://dash.cloudflare.com' }),
    limitations: z.array(z.string()).readonly().meta({ example: [] }),
  })
  .meta({ id: 'Provider' });

export type ProviderDescription = Omit<z.infer<typeof Provider>, 'capabilities'> & { capabilities: object };

export const ProviderList = z.object({ data: z.array(Provider) });
