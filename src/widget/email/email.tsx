import { email as english } from '../../locales/en.ts';
import type { Locale } from '../../locales/words.ts';
import type { Part, SetupView } from '../setup/context.ts';
import { Button, Notice, Spinner, useShared } from '../setup/ui.ts';
import { translator } from '../translator.ts';
import type { Shared } from '../view/shared.ts';
import type { EmailState, EmailView } from './context.ts';
import { Provider } from './provider.tsx';
import styles from './styles.css';

export { styles };

const BEGINNING = { setups: null, chosen: null, asking: false, busy: false, failed: false, applied: null };
/** Mailbox providers that the widget offers. The API knows more. */
const OFFERED = ['google_workspace', 'microsoft_365', 'zoho'];

/** Creates the email setup: which records a mailbox provider needs, compared with what is published. */
export function createEmail(shared: Shared, locale: Locale, values: readonly string[] | null): Part {
  useShared(shared);
  const e = translator(locale, english, values);
  let state: EmailState | null = null;

  return {
    render(view) {
      const id = view.state.connection?.id ?? '';
      const isNew = state?.id !== id;
      const email = state?.id === id ? state : (state = { ...BEGINNING, id });
      const change = (part: Partial<EmailState>) => {
        if (state?.id !== id) return;
        state = { ...state, ...part };
        view.redraw();
      };
      if (isNew) void load(view, change);
      return <Email view={{ ...view, e, email, change }} />;
    },
  };
}

async function load(view: SetupView, change: EmailView['change']): Promise<void> {
  try {
    const setups = await view.flow.emailSetup();
    change({ setups: setups.filter(({ provider }) => OFFERED.indexOf(provider) !== -1), failed: false });
  } catch {
    change({ failed: true });
  }
}

function Email({ view }: { view: EmailView }) {
  const { e, email, change } = view;
  const { setups, chosen, failed } = email;
  const [first] = setups ?? [];
  const retry = () => {
    change({ failed: false });
    void load(view, change);
  };
  const shown = setups?.filter(({ provider }) => provider === chosen)[0];
  return (
    <section class="email">
      {first === undefined ? (
        failed || <Spinner />
      ) : (
        <>
          <h2>{e('title', { domain: first.domain })}</h2>
          <p class="lead">{e('text')}</p>
          <div class="mailboxes">
            {setups?.map(({ provider, provider_name }) => (
              <button
                key={provider}
                type="button"
                class="button quiet"
                aria-pressed={provider === chosen}
                data-provider={provider}
                onClick={() => change({ chosen: provider, asking: false, applied: null, failed: false })}
              >
                {provider_name}
              </button>
            ))}
          </div>
        </>
      )}
      <div role="status">
        {failed && (
          <Notice kind="danger">
            <p>{e('failed')}</p>
            {setups === null && (
              <Button kind="quiet" onClick={retry}>
                {view.t('tryAgain')}
              </Button>
            )}
          </Notice>
        )}
        {shown !== undefined && <Provider view={view} setup={shown} />}
      </div>
    </section>
  );
}
