type Undo = () => Promise<void>;

/** Jest loads set-up and teardown separately, so they share only the global object. */
const shared: typeof globalThis & { undoTestSetup?: Undo[] } = globalThis;

/** Registers a step of the teardown. Steps run last in, first out, so that dependent parts stop first. */
export function leaveForTeardown(undo: Undo): void {
  (shared.undoTestSetup ??= []).push(undo);
}

export async function tearDown(): Promise<void> {
  for (let undo = shared.undoTestSetup?.pop(); undo !== undefined; undo = shared.undoTestSetup?.pop()) await undo();
}

export default tearDown;
