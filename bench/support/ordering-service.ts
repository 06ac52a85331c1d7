import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePorts } from '../../src/embedded/ports.ts';
import { loopbackAddresses } from '../../test/support/fixtures/dns-port.ts';
import { EDGE_TARGET, startInternetLab, type InternetLab } from '../../test/support/fixtures/internet-lab.ts';
import { startOneAtATime } from './one-at-a-time.ts';
import { Service } from '../../test/support/fixtures/service.ts';
import { startPebble, type Pebble } from '../../test/support/servers/pebble.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';

const DELEGATION_ZONE = 'acme-saas.com';

export interface OrderingService {
  internet: InternetLab;
  pebble: Pebble;
  service: Service;
  edge: { address: string; port: number };
  /** URL of the API of PowerDNS. */
  providerUrl: string;
  applicationId: string;
  /** Gives the application a credential for every zone of the lab. */
  giveCredential(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the service as `npm start` runs it, with a real CA, a real DNS and a recursor that caches. */
export async function startOrderingService(originUrl: string): Promise<OrderingService> {
  const [httpPort, port] = await freePorts([undefined, undefined]);
  const [address = ''] = loopbackAddresses(1);
  const internet = await startInternetLab();
  const { powerdns } = internet;
  await powerdns.set('saas-product.com', EDGE_TARGET, 'A', address);
  await powerdns.zone(DELEGATION_ZONE, ['ns1.dns-host.com']);
  await powerdns.set('com', DELEGATION_ZONE, 'NS', 'ns1.dns-host.com.');
  const provider = await startOneAtATime(powerdns.apiUrl);
  const credentials = { api_url: provider.url, api_key: powerdns.apiKey };
  const pebble = await startPebble({ dns: powerdns, httpPort, tlsPort: port });
  const folder = await tempFolder();
  const issuedBy = join(folder, 'root.pem');
  await writeFile(issuedBy, pebble.root);
  const service = await Service.start(folder, {
    ...internet.env,
    EDGE: 'acme',
    EDGE_BIND: address,
    EDGE_HTTP_PORT: String(httpPort),
    EDGE_HTTPS_PORT: String(port),
    EDGE_CA_FILE: issuedBy,
    ACME_DIRECTORY_URL: pebble.directoryUrl,
    ACME_CA_FILE: pebble.caFile,
    ACME_DELEGATION_ZONE: DELEGATION_ZONE,
    ACME_DELEGATION_PROVIDER: 'powerdns',
    ACME_DELEGATION_CREDENTIALS: JSON.stringify(credentials),
    ACME_DELEGATION_KEY: 'a key of sixteen characters',
    ORIGIN_ALLOW_PRIVATE: '127.0.0.0/8',
  });
  const applicationId = (await service.demo()).test.application_id;
  await service.call('PATCH', `/applications/${applicationId}`, { origin_url: originUrl });
  return {
    internet,
    pebble,
    service,
    edge: { address, port },
    providerUrl: provider.url,
    applicationId,
    async giveCredential() {
      const credential = { provider: 'powerdns', credentials };
      await service.call('POST', `/applications/${applicationId}/credentials`, credential);
    },
    async stop() {
      await service.stop();
      provider.server.close();
      await Promise.all([pebble.stop(), internet.stop()]);
    },
  };
}
