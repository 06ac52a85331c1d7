import { unicodeHostname } from '../../domain/idn.ts';
import type { Connection } from '../api.ts';
import { describeFinding, findingsToSettleFirst, problemOf, providerName, type SetupView } from './context.ts';
import { GeneralFindings, LinkOut, Move } from './parts.tsx';
import { Instructions, keyOf, Records } from './records.tsx';
import { Send } from './send.tsx';
import { Button, Domain, Heading, Notice } from './ui.ts';

/** The step in which the customer adds the records. */
export function ManualConfiguration({ view }: { view: SetupView }) {
  const { t, flow, state } = view;
  const { connection } = state;
  if (connection === null) return null;
  const provider = providerName(view);
  const url = connection.provider_panel?.url ?? state.check?.control_panel_url ?? null;
  return (
    <div class="step wide">
      <div class="body">
        <Heading>{t('manualTitle', { provider })}</Heading>
        <p class="lead">{t('manualText')}</p>
        <Move view={view} connection={connection} />
        <GeneralFindings view={view} />
        {findingsToSettleFirst(connection).map((finding) => (
          <Notice key={finding.message} kind="warning">
            {describeFinding(view, finding)}
          </Notice>
        ))}
        <Instructions view={view} connection={connection} />
        <Domain view={view} />
        <Records view={view} connection={connection} />
        <Send view={view} connection={connection} />
      </div>
      <footer>
        {state.unresolved && <Unresolved view={view} connection={connection} />}
        <Button busy={state.busy} onClick={() => void flow.confirmAdded()}>
          {t(state.busy ? 'checking' : 'added')}
        </Button>
        {url !== null && (
          <LinkOut href={url} view={view} kind="button quiet">
            {t('openPanel', { provider })}
          </LinkOut>
        )}
      </footer>
    </div>
  );
}

/** Lists the records that still need a change, next to the button that started the check. */
const Unresolved = ({ view, connection }: { view: SetupView; connection: Connection }) => (
  <div role="alert">
    <Notice kind="danger" title={view.t('stillWrong')}>
      <ul>
        {connection.records_to_add.map((record) => {
          const { status, panel_type, host } = record;
          if (status !== 'wrong' && status !== 'conflict') return null;
          return (
            <li key={keyOf(record)}>
              {panel_type} <bdi dir="ltr">{unicodeHostname(host)}</bdi>. {problemOf(view, connection, record)}
            </li>
          );
        })}
      </ul>
    </Notice>
  </div>
);
