import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';

/** Lets a drift check wait for weeks. In production it repeats hourly, and its activity returns after a day. */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      scheduleActivity(input, next) {
        const isDriftCheck = input.activityType === 'watch';
        const options = { ...input.options, ...(isDriftCheck ? { scheduleToCloseTimeout: '60 days' as const } : {}) };
        return next({ ...input, options });
      },
    },
  ],
});
