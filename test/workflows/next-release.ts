import { patched, sleep, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

/** What a next release might bring to today's workflows: one more command before every activity, behind a patch. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      async scheduleActivity(input, next) {
        if (patched('next-release')) await sleep(1);
        return next(input);
      },
    },
  ],
});
