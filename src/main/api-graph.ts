import { randomBytes } from 'node:crypto';
import type { ApiDeps } from '../api/deps.ts';
import { ownHosts } from '../api/own-hosts.ts';
import type { Keyring } from '../api/signed.ts';
import { createPool, tenantPool } from '../db/pool.ts';
import { readRoots } from '../certificates/chain.ts';
import { Callers } from '../db/tenant/callers.ts';
import { isInSandbox, isSandboxName } from '../domain/hostname.ts';
import type { Logger } from '../log.ts';
import { descriptors } from '../providers/registry.ts';
import { sandboxChecker } from '../sandbox/checker.ts';
import { sandboxObserver } from '../sandbox/observer.ts';
import { billingOf } from './billing.ts';
import { consoleOf } from './console.ts';
import { temporalUiOf, type Core } from './core.ts';
import { delegationNames } from './ordering.ts';

export interface ApiGraph {
  core: Core;
  databaseUrl: string;
  api: ApiDeps;
  close(): Promise<void>;
}

export async function openApiGraph(core: Core, databaseUrl: string): Promise<ApiGraph> {
  const { name, config, log, metrics, temporal, vault, dial, detection, domainConnect, observer, realChecker } = core;
  const { edge } = config;
  const pool = await createPool(databaseUrl, { max: config.DATABASE_POOL, name, serves: 'requests' });
  const callers = new Callers(databaseUrl, {
    max: config.DATABASE_POOL,
    onError: (error) => log.warn({ err: error }, 'A database connection broke.'),
  });
  const providerAccess = core.providerAccessOn(pool);
  const sandboxOf = (tenantId: string) => ({ db: tenantPool(pool, tenantId), edge, detection });
  const observeSandbox = (tenantId: string) =>
    sandboxObserver(sandboxOf(tenantId), { tenantId, liveAt: null }, Date.now());
  const api: ApiDeps = {
    pool,
    callers,
    temporal,
    ...temporalUiOf(config),
    edge,
    log,
    metrics,
    vault,
    delegation: delegationNames(config),
    ordersAt: config.ownOrdersAt,
    uploadRoots: readRoots(config.UPLOAD_CA_FILE),
    providerAccess,
    originDial: dial.origins,
    receiverDial: dial.receivers,
    domainConnect: domainConnect?.identity ?? null,
    baseUrl: config.baseUrl,
    billing: billingOf(config),
    upgradeUrl: config.upgradeUrl,
    console: consoleOf(config),
    ownHosts: ownHosts(config.baseUrl, edge),
    keys: {
      widgetTokens: config.WIDGET_TOKEN_KEYS ?? temporaryKey('WIDGET_TOKEN_KEYS', log),
      signedState: config.CURSOR_KEY ?? temporaryKey('CURSOR_KEY', log),
    },
    trustedProxies: config.TRUSTED_PROXIES,
    limits: {
      anonymous: config.RATE_LIMIT_ANONYMOUS,
      key: config.RATE_LIMIT_KEY,
      tenant: config.RATE_LIMIT_TENANT,
      widget: config.RATE_LIMIT_WIDGET,
      verify: config.RATE_LIMIT_VERIFY,
    },
    providers: descriptors(),
    checkerFor: (row) => (isInSandbox(row) ? sandboxChecker(sandboxOf(row.tenant_id)) : realChecker),
    checkDomain: (domain, wanted, tenantId, signal, own) =>
      isSandboxName(domain)
        ? observeSandbox(tenantId).observeDomain(domain, wanted)
        : observer.observeDomain(domain, wanted, signal, own),
    lookupFor: (domain, tenantId, signal) =>
      isSandboxName(domain) ? observeSandbox(tenantId).lookup() : observer.lookup(signal),
  };
  return {
    core,
    databaseUrl,
    api,
    async close() {
      await providerAccess.http.close();
      await providerAccess.zoneLock.close();
      await Promise.all([pool.end(), callers.end()]);
    },
  };
}

/** Returns a key for trying a single process. Production requires configured keys. */
function temporaryKey(setting: string, log: Logger): Keyring {
  log.warn(`${setting} is not set: other processes refuse what this one signs, and so does this one after a restart.`);
  return [{ kid: 'made-up', secret: randomBytes(32) }];
}
