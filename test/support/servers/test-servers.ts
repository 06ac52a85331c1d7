import { join } from 'node:path';
import { goBuild, type GoProgram } from '../../../src/embedded/go-build.ts';
import {
  obtain,
  obtainServer,
  SERVERS,
  type ObtainOptions,
  type ServerName,
  type ServerSource,
} from '../../../src/embedded/servers.ts';
import { mavenJars } from './maven-jars.ts';

/**
 * Servers that only tests run: an ACME certificate authority, Stripe's mock server, Temporal as in production, and a
 * Temporal that skips time.
 */
const TEST_SERVERS = {
  pebble: built('PEBBLE_PATH', {
    title: 'Pebble',
    program: 'pebble',
    module: 'github.com/letsencrypt/pebble/v2',
    package: 'github.com/letsencrypt/pebble/v2/cmd/pebble',
    takes: '10 seconds',
  }),
  'stripe-mock': built('STRIPE_MOCK_PATH', {
    title: "Stripe's mock",
    program: 'stripe-mock',
    module: 'github.com/stripe/stripe-mock',
    package: 'github.com/stripe/stripe-mock',
    takes: '10 seconds',
  }),
  'temporal-server': built('TEMPORAL_SERVER_PATH', {
    title: 'The Temporal server',
    program: 'temporal-server',
    module: 'go.temporal.io/server',
    package: 'go.temporal.io/server/cmd/server',
    takes: '7 minutes',
  }),
  'temporal-sql': built('TEMPORAL_SQL_PATH', {
    title: "Temporal's schema tool",
    program: 'temporal-sql',
    module: 'go.temporal.io/server',
    package: 'go.temporal.io/server/cmd/tools/sql',
    takes: '1 minute',
  }),
  'temporal-test-server': {
    title: "Temporal's time-skipping server",
    program: 'temporal-test-server',
    pathVariable: 'TEMPORAL_TEST_SERVER_PATH',
    install: 'Java 17 and Maven',
    recipes: async () => [await mavenJars('temporal-test-server', join(import.meta.dirname, 'pom.xml'))],
  },
} satisfies Record<string, ServerSource>;
type TestServerName = keyof typeof TEST_SERVERS;

function built(pathVariable: string, what: GoProgram): ServerSource {
  const { title, program } = what;
  return { title, program, pathVariable, install: 'Go 1.26', recipes: async (tools) => [await goBuild(tools, what)] };
}

/** Returns the path of a server's program, from the same cache as the servers of the service. */
export const obtainTestServer = (name: TestServerName, options: ObtainOptions): Promise<string> =>
  obtain(TEST_SERVERS[name], options);

/** Every server that any test runs. */
export const allServers = (options: ObtainOptions): (() => Promise<string>)[] => [
  ...(Object.keys(SERVERS) as ServerName[]).map((name) => () => obtainServer(name, options)),
  ...(Object.keys(TEST_SERVERS) as TestServerName[]).map((name) => () => obtainTestServer(name, options)),
];
