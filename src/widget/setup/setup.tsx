import { setup as english } from '../../locales/en.ts';
import type { SetupKey, WordKey } from '../../locales/words.ts';
import type { Setup } from '../view/later-steps.ts';
import type { Shared } from '../view/shared.ts';
import type { Language } from '../language.ts';
import { translator } from '../translator.ts';
import type { Step } from '../types.ts';
import { DomainAnalysis } from './analysis.tsx';
import { AutomaticSetup } from './automatic.tsx';
import { changesSince } from './changes.ts';
import type { Memory, SetupView } from './context.ts';
import { ManualConfiguration } from './manual.tsx';
import { Progress } from './progress.tsx';
import styles from './styles.css';
import { Success } from './success.tsx';
import { useShared } from './ui.ts';

export { styles };

type LaterStep = Exclude<Step, 'enter_domain' | 'error'>;

const STEPS: Record<LaterStep, (props: { view: SetupView }) => preact.JSX.Element | null> = {
  domain_analysis: DomainAnalysis,
  automatic_setup: AutomaticSetup,
  manual_configuration: ManualConfiguration,
  in_progress: Progress,
  success: Success,
};

/** Creates the steps after the first one. */
export function createSetup(shared: Shared, language: Language, values: readonly string[] | null): Setup {
  useShared(shared);
  const own = translator(language.locale, english, values);
  const t: SetupView['t'] = (key, params) => (isOwn(key) ? own(key, params) : language.t(key, params));
  const memory: Memory = { link: null, email: null };
  return {
    render(view) {
      const Step = STEPS[view.state.step as LaterStep];
      return <Step key={view.state.step} view={{ ...view, t, shared, memory }} />;
    },
    changes: (before, now) => changesSince(before, now, t),
  };
}

const isOwn = (key: WordKey | SetupKey): key is SetupKey => key in english;
