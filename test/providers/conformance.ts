import type { DnsLab, ZoneLab } from './lab.ts';
import { failureSuite } from './suites/failures.ts';
import { foreignSuite } from './suites/foreign.ts';
import { nameSuite } from './suites/names.ts';
import { refusalSuite, unknownTypeSuite } from './suites/refusals.ts';
import { repetitionSuite } from './suites/repetition.ts';
import { valueSuite } from './suites/values.ts';

/** The contract of src/providers/contract.ts as tests. Every adapter must pass all of them, without exceptions. */
export function conformance(name: string, start: () => Promise<DnsLab>): void {
  contract(name, start, (lab) => {
    describe('unsupported types', () => unknownTypeSuite(lab));
    describe('failures', () => failureSuite(lab));
  });
}

/**
 * The contract for the sandbox, whose zones are rows in our database. No server can refuse a credential, stay silent or
 * answer nonsense, and only our own types exist. Its own tests cover the failures that remain.
 */
export function serverlessConformance(name: string, start: () => Promise<ZoneLab>): void {
  contract(name, start, () => undefined);
}

function contract<Lab extends ZoneLab>(name: string, start: () => Promise<Lab>, more: (lab: () => Lab) => void): void {
  describe(`${name} conforms to the provider contract`, () => {
    let started: Lab;
    const lab = () => started;
    beforeAll(async () => {
      started = await start();
    });
    afterAll(() => started.stop());

    describe('values', () => valueSuite(lab));
    describe('names', () => nameSuite(lab));
    describe('foreign records', () => foreignSuite(lab));
    describe('repetition and concurrency', () => repetitionSuite(lab));
    describe('refusals before any request', () => refusalSuite(lab));
    more(lab);
  });
}
