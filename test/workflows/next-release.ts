import { patched, sleep, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

/** A change that a future release could make: one more command before every activity, behind a patch. */
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
