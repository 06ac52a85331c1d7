import { rm } from 'node:fs/promises';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Node's environment, which also removes a test file's folders after all of its hooks. Jest calls `afterAll` hooks in
 * the order of their definition, so a hook in the module that creates the folders would remove them before the test's
 * own hook has stopped the servers that write there.
 */
export default class FolderRemovingEnvironment extends TestEnvironment {
  private readonly tempFolders: string[] = [];

  override async setup(): Promise<void> {
    await super.setup();
    this.global['tempFolders'] = this.tempFolders;
  }

  override async teardown(): Promise<void> {
    // A server whose parent was killed by a test may write for a moment longer, hence the retries.
    for (const folder of this.tempFolders) await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    await super.teardown();
  }
}
