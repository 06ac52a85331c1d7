import { z } from 'zod';
import { SETUP_TYPES } from '../../domain/connection/connection.ts';

const Provider = z
  .object({
    slug: z.string(),
    name: z.string(),
    category: z.enum(['token', 'cloud', 'self_hosted']),
    setup_types: z.array(z.enum(SETUP_TYPES)).readonly(),
    auth: z.object({
      fields: z
        .array(
          z.object({
            name: z.string(),
            label: z.string(),
            secret: z.boolean(),
            required: z.boolean(),
            help: z.string(),
          }),
        )
        .readonly(),
    }),
    capabilities: z.looseObject({
      cname_flattening: z.boolean(),
      wildcard: z.boolean(),
      caa: z.boolean(),
      multi_txt: z.boolean(),
      ns_delegation: z.boolean(),
    }),
    nameserver_patterns: z.array(z.string()).readonly(),
    domain_connect: z.boolean(),
    control_panel_url: z.string().nullable(),
    limitations: z.array(z.string()).readonly(),
  })
  .meta({ id: 'Provider' });

/** A provider as far as the outside may see it; descriptors hold more. */
export type ProviderDescription = Omit<z.infer<typeof Provider>, 'capabilities'> & { capabilities: object };

export const ProviderList = z.object({ data: z.array(Provider) });
