import type { State } from '../../domain/connection/connection.ts';
import { phaseOf, SERVING, UNPROVED } from '../../domain/connection/state-sets.ts';
import { stateTone, type Tone } from '../states.ts';
import type { Schemas } from '../paths.ts';

export type Detail = Schemas['ConnectionDetail'];
export type StepStatus = 'done' | 'active' | 'problem' | 'todo';
export interface Step {
  key: 'ownership' | 'records' | 'certificate' | 'live';
  title: string;
  status: StepStatus;
}

const TITLES: Record<Step['key'], string> = {
  ownership: 'Ownership',
  records: 'DNS records',
  certificate: 'Certificate',
  live: 'Live',
};

const STEP_OF_PHASE = {
  ownership: 'ownership',
  setup: 'records',
  propagation: 'records',
  certificate: 'certificate',
  monitoring: 'live',
} as const;

const STUCK: ReadonlySet<Tone> = new Set(['warn', 'bad']);

/** Returns the steps to a live domain, each with its status. A connection that wants records only has no certificate. */
export function stepsOf(connection: Detail): Step[] {
  const keys = (Object.keys(TITLES) as Step['key'][]).filter((key) => connection.serve || key !== 'certificate');
  const current = keys.indexOf(currentStep(connection));
  const state = connection.state as State;
  return keys.map((key, i) => ({ key, title: TITLES[key], status: statusOf(key, i) }));

  function statusOf(key: Step['key'], i: number): StepStatus {
    if (state === 'drifted' && key === 'records') return 'problem';
    if (SERVING.has(state)) return 'done';
    // With `before_dns` the certificate comes before the records.
    if (key === 'certificate' && connection.certificate.status === 'issued') return 'done';
    if (key === 'certificate' && connection.certificate.status === 'failed') return 'problem';
    if (state === 'archived') return 'todo';
    if (i < current) return 'done';
    if (i > current) return 'todo';
    return STUCK.has(stateTone(state)) ? 'problem' : 'active';
  }
}

/** Returns the step of the state, or the step at which a failed connection ended. */
function currentStep({ state, timeline }: Detail): Step['key'] {
  const ended = timeline.find(({ to }) => to === state)?.from ?? null;
  const phase = phaseOf(state as State) ?? (ended === null ? null : phaseOf(ended as State));
  if (phase !== null) return STEP_OF_PHASE[phase];
  return UNPROVED.has(state as State) ? 'ownership' : 'records';
}
