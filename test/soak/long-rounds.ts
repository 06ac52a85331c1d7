import { ActivityCancellationType, type WorkflowInterceptorsFactory } from '@temporalio/workflow';

/**
 * Lets a drift check wait for weeks. In production it repeats hourly, and its activity returns after a day. A message
 * abandons the check instead of cancelling it: the test server loses a lock of its clock when it tries a cancelled
 * activity again, and loses the commands of a run that cancels an activity which has just ended.
 */
export const interceptors: WorkflowInterceptorsFactory = () => ({
  outbound: [
    {
      scheduleActivity(input, next) {
        if (input.activityType !== 'watch') return next(input);
        const cancellationType = ActivityCancellationType.ABANDON;
        return next({ ...input, options: { ...input.options, scheduleToCloseTimeout: '60 days', cancellationType } });
      },
    },
  ],
});
