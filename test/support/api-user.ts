import { until } from './until.ts';

/** Somebody who uses the API with a key and one application. */
export class ApiUser {
  private readonly baseUrl: string;
  private readonly key: string;
  private readonly applicationId: string;

  constructor(baseUrl: string, { key, application_id }: { key: string; application_id: string }) {
    this.baseUrl = baseUrl;
    this.key = key;
    this.applicationId = application_id;
  }

  async call(method: string, path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${this.baseUrl}/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async connect(hostname: string): Promise<string> {
    const { status, body } = await this.call('POST', '/connections', { application_id: this.applicationId, hostname });
    if (status !== 201) throw new Error(`POST /connections answered ${status}: ${JSON.stringify(body)}`);
    return String(body['id']);
  }

  async untilLive(id: string, limitMs = 30_000): Promise<Record<string, unknown>> {
    let connection: Record<string, unknown> = {};
    await until(async () => {
      connection = (await this.call('GET', `/connections/${id}`)).body;
      return connection['state'] === 'live';
    }, limitMs);
    return connection;
  }
}
