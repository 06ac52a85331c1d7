import type { Files } from '../files.ts';
import type { Flow } from '../flow.ts';
import type { State } from '../state.ts';
import type { Language } from '../language.ts';
import type { CloseReason, OpenOptions } from '../types.ts';

export interface View extends Language {
  flow: Flow;
  state: State;
  options: OpenOptions;
  baseUrl: string;
  files: Files;
  brand: string;
  /** The operator's product name, if the operator wants it shown. */
  productName: string | null;
  /** The token is bound to one domain, which the customer cannot change. */
  isBound: boolean;
  /** Announces a change to screen readers. */
  announce(text: string): void;
  /** Adds the styles of another part. */
  addStyles(styles: string): void;
  /** Draws again, after something changed that is not in `state`. */
  redraw(): void;
  close(reason: CloseReason): void;
}
