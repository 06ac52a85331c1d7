import { z } from 'zod';
import { GivenApplicationId, GivenHostname, Label, Timestamp } from './common.ts';
import { BeforeDns, GivenVariables, Serve } from './connections.ts';
import { givenRoute } from './own-routes.ts';

export const CreateToken = z.strictObject({
  application_id: GivenApplicationId,
  domain: GivenHostname.exactOptional().meta({ description: 'Hostname to which the token is bound.' }),
  external_id: Label(255)
    .nullable()
    .exactOptional()
    .meta({
      description:
        'Your id for the customer. The token sees only connections with this id, and creates connections with it. ' +
        'Without it, the token sees only connections that have no external id.',
      example: 'customer-1234',
    }),
  metadata: givenRoute.metadata.meta({
    description: '`metadata` of the connections that the token creates. The browser can read it in the token.',
    example: { plan: 'gold' },
  }),
  before_dns: BeforeDns.exactOptional().meta({
    description: '`before_dns` of the connections that the token creates.',
    example: false,
  }),
  serve: Serve.exactOptional().meta({
    description: '`serve` of the connections that the token creates.',
    example: true,
  }),
  variables: GivenVariables.exactOptional().meta({
    description: '`variables` of the connections that the token creates. The browser can read them in the token.',
    example: { selector: 's1' },
  }),
});

const Token = z.string().meta({ example: 'eyJhbGciOiJIUzI1NiIs…' });
export const WidgetTokenCreated = z
  .object({
    auth_token: Token.meta({ description: 'Token for the browser.' }),
    expires_at: Timestamp.meta({ description: 'Time at which the token expires.' }),
  })
  .meta({ id: 'WidgetToken' });
