import { tempFolder } from '../support/temp-folder.ts';
import { Soak } from './soak.ts';
import { TRIALS } from './trials.ts';

/** A small soak, so that the command stays runnable. `npm run test:soak` plays years of thousands of connections. */
describe('a soak', () => {
  let soak: Soak;
  beforeAll(async () => {
    const seed = Number(process.env['SEED'] ?? 1);
    soak = await Soak.open({ connections: 10, days: 60, seed, folder: await tempFolder() });
    await soak.run();
  }, 300_000);
  afterAll(() => soak.close());

  test.each(Object.keys(TRIALS))('%s', async (title) => {
    expect(await TRIALS[title]!(soak)).toEqual(expect.any(String));
  });
});
