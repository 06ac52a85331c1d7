import type { Lab } from '../support/fixtures/workflow-lab.ts';

/** Returns the workflow ids of all open runs. */
export async function openRuns({ env }: Lab): Promise<string[]> {
  const { workflowService: service, options } = env.client;
  const ids: string[] = [];
  let nextPageToken = new Uint8Array();
  do {
    const page = await service.listOpenWorkflowExecutions({
      namespace: options.namespace,
      startTimeFilter: {},
      nextPageToken,
    });
    ids.push(...page.executions.map(({ execution }) => execution?.workflowId ?? ''));
    nextPageToken = new Uint8Array(page.nextPageToken);
  } while (nextPageToken.length > 0);
  return ids;
}
