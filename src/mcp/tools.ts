import { z } from 'zod';
import { STATES } from '../domain/connection/connection.ts';
import type { Scope } from '../domain/scope.ts';

/** A request to the API in the name of the agent's credential. */
export interface ApiRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path below /v1. */
  path: string;
  query?: Record<string, string>;
  body?: object;
}

export interface ApiAnswer {
  status: number;
  body: unknown;
}

export type CallApi = (request: ApiRequest) => Promise<ApiAnswer>;

/** Facts about the caller that a tool needs. */
export interface ToolContext {
  call: CallApi;
  /** Application of the credential, for tools that are given none. */
  applicationId: string;
}

export interface Tool {
  name: string;
  title: string;
  description: string;
  needs: readonly Scope[];
  /** Whether a widget token may use the tool: its route is one of the widget's four. */
  widget: boolean;
  /** Whether the tool changes nothing, or ends something for good. Clients ask their user before the latter. */
  effect: 'reads' | 'changes' | 'ends';
  input: z.ZodObject;
  /** Calls the API with parsed arguments. */
  run(args: never, context: ToolContext): Promise<ApiAnswer>;
}

const tool = <S extends z.ZodObject>(
  value: Omit<Tool, 'input' | 'run'> & { input: S; run(args: z.infer<S>, context: ToolContext): Promise<ApiAnswer> },
): Tool => value;

const ConnectionId = z.uuid().describe('Id of the connection, as `connect` or `list` returned it.');
const Hostname = z.string().min(1).max(1_000);
const One = z.object({ id: ConnectionId });
const path = (id: string, operation = ''): string => `/connections/${encodeURIComponent(id)}${operation}`;
const given = (fields: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));

/** Tools for agents, each for a route of the API, which checks scopes, limits and arguments as for every other caller. */
export const TOOLS: readonly Tool[] = [
  tool({
    name: 'check',
    title: 'Check a domain',
    description:
      "Detects a domain's DNS provider and how it can be connected: automatically or manually, and what is in the way. Changes nothing.",
    needs: ['connections:read'],
    widget: true,
    effect: 'reads',
    input: z.object({ domain: Hostname.describe('Domain or hostname, such as shop.example.com.') }),
    run: ({ domain }, { call, applicationId }) =>
      call({ method: 'POST', path: '/domains:check', body: { domain, application_id: applicationId } }),
  }),
  tool({
    name: 'connect',
    title: 'Connect a domain',
    description:
      'Connects a hostname, or resumes its connection. Returns the connection and the records that its owner must publish if we cannot write them. Then use `status` until the state is `live`.',
    needs: ['connections:write'],
    widget: true,
    effect: 'changes',
    input: z.object({
      hostname: Hostname.describe('Hostname to connect, such as shop.example.com.'),
      application_id: z.uuid().optional().describe("Defaults to the credential's own application."),
      external_id: z
        .string()
        .min(1)
        .max(255)
        .optional()
        .describe('Your id for the customer. Only API keys can set it.'),
    }),
    run: ({ hostname, external_id, application_id }, { call, applicationId }) =>
      call({
        method: 'POST',
        path: '/connections',
        body: { hostname, application_id: application_id ?? applicationId, ...given({ external_id }) },
      }),
  }),
  tool({
    name: 'status',
    title: 'Status of a connection',
    description:
      'Returns the state of a connection with its records, certificate, timeline, and findings: what is wrong and what fixes it.',
    needs: ['connections:read'],
    widget: true,
    effect: 'reads',
    input: One,
    run: ({ id }, { call }) => call({ method: 'GET', path: path(id) }),
  }),
  tool({
    name: 'records',
    title: 'Check the records of a connection',
    description:
      'Asks the name servers now, and returns each record that the connection needs with the value that is published.',
    needs: ['connections:write'],
    widget: true,
    effect: 'reads',
    input: One,
    run: ({ id }, { call }) => call({ method: 'POST', path: path(id, '/records:check') }),
  }),
  tool({
    name: 'verify',
    title: 'Verify the ownership of a hostname',
    description: 'Checks the ownership record now. Use it after the owner has published the record.',
    needs: ['connections:write'],
    widget: false,
    effect: 'changes',
    input: One,
    run: ({ id }, { call }) => call({ method: 'POST', path: path(id, '/verify') }),
  }),
  tool({
    name: 'share_link',
    title: 'Create a link for a colleague',
    description:
      'Creates a link to a page that shows the records to a person who manages the DNS. It needs no account.',
    needs: ['connections:write'],
    widget: false,
    effect: 'changes',
    input: One.extend({
      expires_in: z
        .int()
        .min(3_600)
        .max(2_592_000)
        .optional()
        .describe('Seconds until the link ends, from an hour to 30 days. Defaults to 7 days.'),
    }),
    run: ({ id, expires_in }, { call }) =>
      call({ method: 'POST', path: path(id, '/share'), body: expires_in === undefined ? {} : { expires_in } }),
  }),
  tool({
    name: 'list',
    title: 'List connections',
    description: 'Lists connections, newest first. Use `hostname` to find the id of a connection.',
    needs: ['connections:read'],
    widget: false,
    effect: 'reads',
    input: z.object({
      hostname: Hostname.optional().describe('Exact hostname.'),
      state: z.enum(STATES).optional().describe('Only connections in this state.'),
      external_id: z.string().max(255).optional().describe('Only connections of this customer.'),
      limit: z.int().min(1).max(100).optional().describe('Connections on a page. Defaults to 20.'),
      cursor: z.string().max(1_000).optional().describe('`next_cursor` of the page before.'),
    }),
    run: ({ limit, ...filter }, { call }) =>
      call({ method: 'GET', path: '/connections', query: given({ ...filter, limit: limit?.toString() }) }),
  }),
  tool({
    name: 'replay',
    title: 'Send a webhook again',
    description: 'Sends the event of a webhook delivery to its endpoint again.',
    needs: ['apps:admin', 'webhooks:write'],
    widget: false,
    effect: 'changes',
    input: z.object({ delivery_id: z.uuid().describe('Id of the delivery.') }),
    run: ({ delivery_id }, { call }) =>
      call({ method: 'POST', path: `/deliveries/${encodeURIComponent(delivery_id)}:replay` }),
  }),
  tool({
    name: 'archive',
    title: 'Archive a connection',
    description:
      'Ends a connection: its site is no longer served, its hostname is free, and the records that we wrote are removed. This cannot be undone. Ask the user first.',
    needs: ['connections:write'],
    widget: false,
    effect: 'ends',
    input: One.extend({
      confirm_hostname: Hostname.describe('The hostname of the connection, as the user confirmed it.'),
    }),
    run: archive,
  }),
];

/** Archives a connection whose hostname the caller repeats, so that a wrong id ends nothing. */
async function archive(
  { id, confirm_hostname }: { id: string; confirm_hostname: string },
  { call }: ToolContext,
): Promise<ApiAnswer> {
  const found = await call({ method: 'GET', path: path(id) });
  if (found.status !== 200) return found;
  const { hostname } = z.object({ hostname: z.string() }).parse(found.body);
  if (hostname !== confirm_hostname.trim().toLowerCase()) {
    const message = 'confirm_hostname is not the hostname of this connection. Nothing was archived.';
    return { status: 400, body: { error: { code: 'invalid', message } } };
  }
  return call({ method: 'DELETE', path: path(id) });
}
