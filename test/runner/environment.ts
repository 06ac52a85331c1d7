import { rm } from 'node:fs/promises';
import { TestEnvironment } from 'jest-environment-node';

/**
 * Node's environment, which removes a test file's folders when all of its hooks are done. Jest calls `afterAll` hooks in
 * the order of their definition, so a hook of the module that makes the folders would remove them before the test's own
 * hook has stopped the servers that write there.
 */
export default class FolderRemovingEnvironment extends TestEnvironment {
  private readonly tempFolders: string[] = [];

  override async setup(): Promise<void> {
    await super.setup();
    this.global['tempFolders'] = this.tempFolders;
  }

  override async teardown(): Promise<void> {
    // A server whose starter a test has killed may write for a moment longer, hence the retries.
    for (const folder of this.tempFolders) await rm(folder, { recursive: true, force: true, maxRetries: 20 });
    await super.teardown();
  }
}
