import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ApiAnswer, Tool, ToolContext } from './tools.ts';

const INSTRUCTIONS =
  'Connects the customers of a SaaS product with their own domains. Begin with `check`, then `connect`. If the setup is manual, show the returned records exactly as they are. Use `status` until the state is `live`; findings contain the fix for every problem.';

/** Returns a server with these tools, for one request of one caller. */
export function mcpServer(version: string, tools: readonly Tool[], context: ToolContext): McpServer {
  const server = new McpServer(
    { name: 'domain-connection-service', title: 'Domain Connection Service', version },
    { instructions: INSTRUCTIONS },
  );
  for (const { name, title, description, input, effect, run } of tools)
    server.registerTool(
      name,
      { title, description, inputSchema: input.shape, annotations: { title, ...hintsOf(effect) } },
      async (args: unknown) => resultOf(await run(args as never, context)),
    );
  return server;
}

const hintsOf = (effect: Tool['effect']) => ({
  readOnlyHint: effect === 'reads',
  destructiveHint: effect === 'ends',
  idempotentHint: effect !== 'changes',
  openWorldHint: true,
});

/** Gives the agent the answer of the API as JSON. A refusal is a result too, because the agent can act on its message. */
function resultOf({ status, body }: ApiAnswer): CallToolResult {
  const structured = (body ?? {}) as Record<string, unknown>;
  return {
    content: [{ type: 'text', text: JSON.stringify(structured) }],
    structuredContent: structured,
    ...(status >= 400 ? { isError: true } : {}),
  };
}
