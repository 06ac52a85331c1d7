import { unicodeHostname } from '../../domain/idn.ts';
import type { SetupKey } from '../../locales/words.ts';
import { checklist, confirmUrl, writtenByService, type ChecklistStatus } from '../step.ts';
import type { SetupView } from './context.ts';
import { GeneralFindings } from './parts.tsx';
import { keyOf, StatusPill } from './records.tsx';
import { Button, Domain, Heading, Icon, Notice, Spinner } from './ui.ts';

const ITEMS: readonly SetupKey[] = ['itemOwner', 'itemRecords', 'itemCertificate'];
const STATES: Record<ChecklistStatus, SetupKey> = { done: 'itemDone', active: 'itemActive', pending: 'itemPending' };

/** The step in which the customer waits: a checklist of ownership, records and certificate. */
export function Progress({ view }: { view: SetupView }) {
  const { t, flow, state } = view;
  // `stalled` is not the connection's state: the widget's step takes longer than usual.
  const { connection, stalled } = state;
  if (connection === null) return null;
  const states = checklist(connection);
  const isLacking = states[1] !== 'done';
  // The customer adds the records, or a Domain Connect provider has not added them in the usual time.
  const isManual = isLacking && (!writtenByService(connection) || (stalled && confirmUrl(connection) !== null));
  return (
    <div class="step">
      <div class="body">
        <Heading>{t('progressTitle')}</Heading>
        <Domain view={view} />
        <p class="lead">{t('progressText')}</p>
        <ol class="checklist">
          {ITEMS.map((key, i) => {
            const item = states[i] ?? 'pending';
            return (
              <li key={key} class={item}>
                <span class="mark">
                  {item === 'done' ? <Icon name="check" /> : item === 'active' ? <Spinner /> : null}
                </span>
                <span>{t(key)}</span>
                <span class="hidden">({t(STATES[item])})</span>
                {key === 'itemRecords' && isLacking && <Statuses view={view} />}
              </li>
            );
          })}
        </ol>
        <GeneralFindings view={view} />
        {stalled && (
          <Notice kind="info" title={t('stallTitle')}>
            <p>{t('stallText')}</p>
            {isManual && <p>{t('stallAdvice')}</p>}
          </Notice>
        )}
      </div>
      {isManual && (
        <footer>
          <Button kind={stalled ? 'primary' : 'quiet'} onClick={() => flow.choose({ added: false, manual: true })}>
            {t('showRecords')}
          </Button>
        </footer>
      )}
    </div>
  );
}

/** Every record with its status, so that the customer sees which one is missing. */
const Statuses = ({ view }: { view: SetupView }) => (
  <ul class="statuses">
    {view.state.connection?.records_to_add.map((record) => (
      <li key={keyOf(record)}>
        <span class="type">{record.panel_type}</span>
        <bdi dir="ltr">{unicodeHostname(record.host)}</bdi>
        <StatusPill view={view} status={record.status} />
      </li>
    ))}
  </ul>
);
