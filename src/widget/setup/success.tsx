import { isWildcard } from '../../domain/certificate/dns-validation.ts';
import type * as EmailModule from '../email/email.tsx';
import type { SetupView } from './context.ts';
import { LinkOut } from './parts.tsx';
import { Records } from './records.tsx';
import { Button, Domain, Heading, Icon, Notice, Spinner } from './ui.ts';

export function Success({ view }: { view: SetupView }) {
  const { t, state, close, options } = view;
  const domain = state.domain ?? '';
  const isServed = state.connection?.serve !== false;
  return (
    <div class="step">
      <div class="body centred">
        <span class="medal" aria-hidden="true">
          <Icon name="check" />
        </span>
        <Heading>{t(isServed ? 'successTitle' : 'successRecordsTitle')}</Heading>
        <Domain view={view} />
        <p class="lead">{t(isServed ? 'successText' : 'successRecordsText')}</p>
        <OwnStep view={view} />
        {options.email && <Email view={view} />}
      </div>
      <footer>
        <Button onClick={() => close('completed')}>{t('done')}</Button>
        {isServed && !isWildcard(domain) && (
          <LinkOut href={`https://${domain}`} view={view} kind="button quiet">
            {t('visit')}
          </LinkOut>
        )}
      </footer>
    </div>
  );
}

/** Records that a live domain does not wait for, and that only the customer changes, such as a merged sender policy. */
function OwnStep({ view }: { view: SetupView }) {
  const { connection } = view.state;
  const records = connection?.records_to_add.filter(({ required, status }) => !required && status !== 'found') ?? [];
  if (!connection || records.length === 0) return null;
  return (
    <section>
      <p class="lead">{view.t('successOwnStep')}</p>
      <Records view={view} connection={connection} records={records} />
    </section>
  );
}

/** The email setup. It is in a file of its own, because most widgets never show it. */
function Email({ view }: { view: SetupView }) {
  const { t, redraw, memory } = view;
  if (memory.email === null) void load(view);
  const { email } = memory;
  if (email === null || email === 'loading') return <Spinner />;
  if (email !== 'failed') return <>{email.render(view)}</>;
  const retry = () => {
    memory.email = null;
    redraw();
  };
  return (
    <Notice kind="warning">
      <p>{t('errorUnreachable')}</p>
      <Button kind="quiet" onClick={retry}>
        {t('tryAgain')}
      </Button>
    </Notice>
  );
}

async function load({ files, locale, shared, memory, addStyles, redraw }: SetupView): Promise<void> {
  memory.email = 'loading';
  try {
    const [{ createEmail, styles }, values] = await Promise.all([
      files.module<typeof EmailModule>('email'),
      files.words('email', locale),
    ]);
    addStyles(styles);
    memory.email = createEmail(shared, locale, values);
  } catch {
    memory.email = 'failed';
  }
  redraw();
}
