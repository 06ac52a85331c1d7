/** Counts the activities that the soak's workers have begun. */
export class BegunActivities {
  count = 0;

  /** Returns the same activities, counted. */
  readonly counting = <A extends object>(activities: A): A =>
    Object.fromEntries(Object.entries(activities).map(([name, activity]) => [name, this.counted(activity as Activity)])) as A; // prettier-ignore

  private counted(activity: Activity): Activity {
    return (...input) => {
      this.count++;
      return activity(...input);
    };
  }
}

type Activity = (...input: unknown[]) => Promise<unknown>;
