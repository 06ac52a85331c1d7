import type { DnsLab, ZoneLab } from './lab.ts';
import { failureSuite } from './suites/failures.ts';
import { foreignSuite } from './suites/foreign.ts';
import { nameSuite } from './suites/names.ts';
import { refusalSuite, unknownTypeSuite } from './suites/refusals.ts';
import { repetitionSuite } from './suites/repetition.ts';
import { valueSuite } from './suites/values.ts';

/** The contract of src/providers/contract.ts as tests. Every adapter passes all of them; there is nothing to opt out of. */
export function conformance(name: string, start: () => Promise<DnsLab>): void {
  contract(name, start, (lab) => {
    describe('types we do not speak', () => unknownTypeSuite(lab));
    describe('when things go wrong', () => failureSuite(lab));
  });
}

/**
 * The same for the sandbox, whose zones are rows of ours: no server stands between that could refuse a credential, fall
 * silent or talk nonsense, and there are no types in it but ours. What can fail there has tests of its own.
 */
export function serverlessConformance(name: string, start: () => Promise<ZoneLab>): void {
  contract(name, start, () => undefined);
}

function contract<Lab extends ZoneLab>(name: string, start: () => Promise<Lab>, more: (lab: () => Lab) => void): void {
  describe(`${name} keeps the provider contract`, () => {
    let started: Lab;
    const lab = () => started;
    beforeAll(async () => {
      started = await start();
    });
    afterAll(() => started.stop());

    describe('values', () => valueSuite(lab));
    describe('names', () => nameSuite(lab));
    describe('other people’s records', () => foreignSuite(lab));
    describe('again, and at the same time', () => repetitionSuite(lab));
    describe('refusals before the wire', () => refusalSuite(lab));
    more(lab);
  });
}
