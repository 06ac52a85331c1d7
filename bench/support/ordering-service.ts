import { delegationSettings, startAcmeWorld, type AcmeWorld } from '../../test/support/fixtures/acme-world.ts';
import { Service } from '../../test/support/fixtures/service.ts';
import { tempFolder } from '../../test/support/temp-folder.ts';

export interface OrderingService {
  internet: AcmeWorld['internet'];
  pebble: AcmeWorld['pebble'];
  service: Service;
  edge: AcmeWorld['edge'];
  /** URL of the API of PowerDNS. */
  providerUrl: string;
  applicationId: string;
  /** Gives the application a credential for every zone of the lab. */
  giveCredential(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the service as `npm start` runs it, with a real CA, a real DNS and a recursor that caches. */
export async function startOrderingService(
  originUrl: string,
  { counted = false, settings = {} }: { counted?: boolean; settings?: NodeJS.ProcessEnv } = {},
): Promise<OrderingService> {
  const world = await startAcmeWorld('powerdns', { counted });
  const { internet, pebble, edge } = world;
  const providerUrl = internet.powerdns.apiUrl;
  const credentials = { api_url: providerUrl, api_key: internet.powerdns.apiKey };
  const delegation = await delegationSettings(internet, providerUrl);
  const service = await Service.start(await tempFolder(), { ...world.env, ...delegation, ...settings });
  const applicationId = (await service.demo()).test.application_id;
  await service.call('PATCH', `/applications/${applicationId}`, { origin_url: originUrl });
  return {
    internet,
    pebble,
    service,
    edge,
    providerUrl,
    applicationId,
    async giveCredential() {
      const credential = { provider: 'powerdns', credentials };
      await service.call('POST', `/applications/${applicationId}/credentials`, credential);
    },
    async stop() {
      await service.stop();
      await world.stop();
    },
  };
}
