import { awaitsMove, confirmUrl, writtenByService } from '../step.ts';
import { findingsToSettleFirst, providerName, type SetupView } from './context.ts';
import { GeneralFindings, LinkOut, Move } from './parts.tsx';
import { Button, Domain, Heading, Working } from './ui.ts';

/** The step in which the service writes the records, or the customer consents at a Domain Connect provider. */
export function AutomaticSetup({ view }: { view: SetupView }) {
  const { t, state, list } = view;
  const { connection } = state;
  if (connection === null) return null;
  const url = confirmUrl(connection);
  if (url !== null && (!writtenByService(connection) || awaitsMove(connection)))
    return <Consent view={view} url={url} />;
  const written = (connection.plan?.creates ?? []).map(({ type, relative_host }) => `${type} ${relative_host}`);
  return (
    <div class="step">
      <div class="body centred">
        <Working />
        <Heading>{t('autoTitle')}</Heading>
        <Domain view={view} />
        <p class="lead">
          {written.length > 0 ? t('autoText', { records: list(written), provider: providerName(view) }) : t('autoKept')}
        </p>
        <GeneralFindings view={view} />
      </div>
    </div>
  );
}

function Consent({ view, url }: { view: SetupView; url: string }) {
  const { t, flow, state, list } = view;
  const provider = providerName(view);
  const { connection } = state;
  // The provider adds its records together, so no others have to come first.
  let first = 0;
  if (connection !== null) for (const { records = [] } of findingsToSettleFirst(connection)) first += records.length;
  const added = (connection?.records_to_add ?? []).slice(first).filter(({ status }) => status !== 'later');
  const records = list(added.map(({ panel_type }) => panel_type));
  return (
    <div class="step">
      <div class="body">
        <Heading>{t('confirmTitle', { provider })}</Heading>
        <Domain view={view} />
        <p class="lead">{t('confirmText', { provider, records })}</p>
        {connection !== null && <Move view={view} connection={connection} />}
        <GeneralFindings view={view} />
      </div>
      <footer>
        <LinkOut href={url} view={view} kind="button primary" opener>
          {t('confirmGo', { provider })}
        </LinkOut>
        <Button kind="quiet" onClick={() => flow.choose({ manual: true })}>
          {t('addManually')}
        </Button>
      </footer>
    </div>
  );
}
