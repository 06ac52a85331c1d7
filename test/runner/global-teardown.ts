type Undo = () => Promise<void>;

/** Jest loads set-up and teardown apart from each other; the global object is all they share. */
const shared: typeof globalThis & { undoTestSetup?: Undo[] } = globalThis;

/** Last in, first out: what was started on top is stopped before what it stands on. */
export function leaveForTeardown(undo: Undo): void {
  (shared.undoTestSetup ??= []).push(undo);
}

export async function tearDown(): Promise<void> {
  for (let undo = shared.undoTestSetup?.pop(); undo !== undefined; undo = shared.undoTestSetup?.pop()) await undo();
}

export default tearDown;
