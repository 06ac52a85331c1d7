import type { Check, Connection } from './api.ts';
import type { ErrorKind, Fault } from './failures.ts';
import type { Choices } from './step.ts';
import type { Step } from './types.ts';

/** State of the widget. The view renders it and nothing else. */
export interface State extends Choices {
  step: Step;
  input: string;
  fault: Fault | null;
  domain: string | null;
  /** The domain is only a part of what the customer entered, such as a URL. */
  taken: boolean;
  check: Check | null;
  /** Whether to connect www too. Undefined if the customer has no choice. */
  companion: boolean | undefined;
  connection: Connection | null;
  errorKind: ErrorKind | null;
  overlay: 'exit' | 'expired' | null;
  /** The page was reloaded and the connection has not been read again yet. */
  resuming: boolean;
  /** The customer waits for a call. */
  busy: boolean;
  reachable: boolean;
  /** The current step takes longer than usual, so the widget shows advice. */
  stalled: boolean;
  /** The customer has added the records, and a check found that some need a change. */
  unresolved: boolean;
  /** The service's first check takes longer than usual, so the widget no longer waits for it. */
  unchecked: boolean;
}

/** The state before a domain is entered, except for the input. */
export const BEGINNING: Omit<State, 'input' | 'overlay'> = {
  step: 'enter_domain',
  fault: null,
  domain: null,
  taken: false,
  check: null,
  companion: undefined,
  connection: null,
  errorKind: null,
  resuming: false,
  busy: false,
  reachable: true,
  stalled: false,
  unresolved: false,
  unchecked: false,
  added: false,
  manual: false,
  pointed: false,
};
