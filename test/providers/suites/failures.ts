import type { Account, Zone } from '../../../src/providers/contract.ts';
import { ProviderError } from '../../../src/providers/provider-error.ts';
import { given, record } from './given.ts';
import type { DnsLab, LabZone } from '../lab.ts';

/** Short, because no answer comes here; long enough for a loaded machine to refuse a connection. */
const PATIENCE = { timeoutMs: 1_000 };

/** Tests an adapter against a server that refuses, stays silent or answers nonsense. */
export function failureSuite(lab: () => DnsLab): void {
  afterEach(() => lab().disturb(undefined));

  test('every refusal has its code, and only busy or unreachable servers are retryable', async () => {
    const { zone, handle } = await given(lab());
    const before = await zone.dump();
    for (const { name, code, retryAfterSeconds, provoke } of lab().refusals) {
      const failure = await failureOf(provoke(zone), handle, zone);
      expect({ name, code: failure.code, retryAfterSeconds: failure.retryAfterSeconds }).toEqual({
        name,
        code,
        retryAfterSeconds,
      });
      expect(failure.retryable).toBe(code === 'rate_limited' || code === 'transient');
    }
    lab().disturb(undefined);
    expect(await zone.dump()).toEqual(before);
  });

  test('verification refuses a credential that the server does not know', async () => {
    const { zone } = await given(lab());
    await expect(lab().strangerTo(zone).verify()).rejects.toMatchObject({ code: 'auth_failed' });
  });

  test.each(['silence', 'garbage'] as const)('%s is transient: we could not ask', async (disturbance) => {
    const { zone, account, handle } = await given(lab());
    lab().disturb(disturbance);
    const asked = account.records(handle, [zone.name], PATIENCE);
    await expect(asked).rejects.toMatchObject({ name: 'ProviderError', code: 'transient', mayHaveChanged: false });
    await expect(account.findZone(zone.name, PATIENCE)).rejects.toMatchObject({ code: 'transient' });
  });

  test('a write whose answer was lost is found by the next attempt and not repeated', async () => {
    const { zone, account, handle } = await given(lab());
    const before = await zone.dump();
    const change = { add: [record(`_token.${zone.name}`, 'TXT', 'ours')], remove: [] };

    lab().disturb('silence_after_write');
    await expect(account.apply(handle, change, PATIENCE)).rejects.toMatchObject({
      code: 'transient',
      mayHaveChanged: true,
    });

    lab().disturb(undefined);
    expect(await zone.open().apply(handle, change)).toMatchObject({ changed: false, present: [{ value: 'ours' }] });
    expect(await zone.dump()).toHaveLength(before.length + 1);
  });

  test('an abort ends a call with its own reason, before the call and during it', async () => {
    const { zone, account, handle } = await given(lab());
    const reason = new Error('the connection was archived');
    await expect(account.records(handle, [zone.name], { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);

    lab().disturb('silence');
    const controller = new AbortController();
    const waiting = account.records(handle, [zone.name], { signal: controller.signal });
    setImmediate(() => controller.abort(reason));
    await expect(waiting).rejects.toBe(reason);
  });

  test('no error and no log line contains a secret', async () => {
    const { zone, account, handle } = await given(lab());
    const texts = [textOf(await failureOf(lab().strangerTo(zone), handle, zone))];
    for (const { provoke } of lab().refusals) texts.push(textOf(await failureOf(provoke(zone), handle, zone)));
    for (const disturbance of ['silence', 'garbage'] as const) {
      lab().disturb(disturbance);
      texts.push(textOf(await failureOf(account, handle, zone)));
    }
    for (const secret of lab().secrets) {
      expect(texts.join('\n')).not.toContain(secret);
      expect(lab().logLines()).not.toContain(secret);
    }
  });
}

async function failureOf(account: Account, handle: Zone, zone: LabZone): Promise<ProviderError> {
  const change = { add: [record(`_refused.${zone.name}`, 'TXT', 'ours')], remove: [] };
  const failure: unknown = await account.apply(handle, change, PATIENCE).catch((error: unknown) => error);
  if (failure instanceof ProviderError) return failure;
  throw new Error(`Expected a ProviderError, got ${String(failure)}`);
}

/** Returns everything that a logger or a workflow history could keep of an error. */
const textOf = (failure: ProviderError): string =>
  [failure.message, failure.stack, JSON.stringify(failure), JSON.stringify(Object.entries(failure))].join('\n');
