import type { Laboratory } from './laboratory.ts';
import { failureSuite } from './suites/failures.ts';
import { foreignSuite } from './suites/foreign.ts';
import { nameSuite } from './suites/names.ts';
import { refusalSuite } from './suites/refusals.ts';
import { repetitionSuite } from './suites/repetition.ts';
import { valueSuite } from './suites/values.ts';

/** The contract of src/providers/contract.ts as tests. Every adapter passes all of them; there is nothing to opt out of. */
export function conformance(name: string, start: () => Promise<Laboratory>): void {
  describe(`${name} keeps the provider contract`, () => {
    let lab: Laboratory;
    beforeAll(async () => {
      lab = await start();
    });
    afterAll(() => lab.stop());

    describe('values', () => valueSuite(() => lab));
    describe('names', () => nameSuite(() => lab));
    describe('other people’s records', () => foreignSuite(() => lab));
    describe('again, and at the same time', () => repetitionSuite(() => lab));
    describe('refusals before the wire', () => refusalSuite(() => lab));
    describe('when things go wrong', () => failureSuite(() => lab));
  });
}
