/** Counts the activities that the soak's workers have begun, and those that run. */
export class RunningActivities {
  begun = 0;
  running = 0;

  /** Returns the same activities, counted. */
  readonly counting = <A extends object>(activities: A): A =>
    Object.fromEntries(Object.entries(activities).map(([name, activity]) => [name, this.counted(activity as Activity)])) as A; // prettier-ignore

  private counted(activity: Activity): Activity {
    return async (...input) => {
      this.begun++;
      this.running++;
      try {
        return await activity(...input);
      } finally {
        this.running--;
      }
    };
  }
}

type Activity = (...input: unknown[]) => Promise<unknown>;
