import type { ComponentChild } from 'preact';
import type { State } from '../state.ts';
import type { Language } from '../language.ts';
import type { View } from './context.ts';
import type { Shared } from './shared.ts';

/** The steps after the first one, which are in a file of their own. */
export interface Setup {
  render(view: View): ComponentChild;
  /** Lists changes for screen readers. */
  changes(before: State, now: State): string[];
}

export interface SetupModule {
  styles: string;
  /** `values` are the translated texts; null means English. */
  createSetup(shared: Shared, language: Language, values: readonly string[] | null): Setup;
}
