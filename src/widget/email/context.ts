import type { EmailWords } from '../../locales/words.ts';
import type { EmailSetup } from '../api.ts';
import type { SetupView } from '../setup/context.ts';
import type { Translate } from '../translator.ts';
import type { EmailApplied } from '../types.ts';

/** State of the email setup of one connection. */
export interface EmailState {
  id: string;
  /** One for each mailbox provider. Null until they are loaded. */
  setups: readonly EmailSetup[] | null;
  chosen: string | null;
  /** The customer is asked whether to add records. */
  asking: boolean;
  busy: boolean;
  failed: boolean;
  applied: EmailApplied | null;
}

export interface EmailView extends SetupView {
  e: Translate<keyof EmailWords>;
  email: EmailState;
  change(change: Partial<EmailState>): void;
}
