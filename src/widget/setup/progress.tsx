import { unicodeHostname } from '../../domain/idn.ts';
import type { SetupKey } from '../../locales/words.ts';
import { checklist, confirmUrl, writtenByService, type ChecklistStatus } from '../step.ts';
import type { SetupView } from './context.ts';
import { GeneralFindings } from './parts.tsx';
import { keyOf, StatusPill } from './records.tsx';
import { Button, Domain, Heading, Icon, Notice, Spinner } from './ui.ts';

const ITEMS = { owner: 'itemOwner', records: 'itemRecords', certificate: 'itemCertificate' } as const;
const STATES: Record<ChecklistStatus, SetupKey> = { done: 'itemDone', active: 'itemActive', pending: 'itemPending' };

/** The step in which the customer waits: a checklist of ownership, records and certificate. */
export function Progress({ view }: { view: SetupView }) {
  const { t, flow, state } = view;
  // `stalled` is not the connection's state: the widget's step takes longer than usual.
  const { connection, stalled } = state;
  if (connection === null) return null;
  const items = checklist(connection);
  const isLacking = items.some(([item, status]) => item === 'records' && status !== 'done');
  // The customer adds the records, or a Domain Connect provider has not added them in the usual time.
  const isManual = isLacking && (!writtenByService(connection) || (stalled && confirmUrl(connection) !== null));
  return (
    <div class="step">
      <div class="body">
        <Heading>{t('progressTitle')}</Heading>
        <Domain view={view} />
        <p class="lead">{t('progressText')}</p>
        <ol class="checklist">
          {items.map(([item, status]) => (
            <li key={item} class={status}>
              <span class="mark">
                {status === 'done' ? <Icon name="check" /> : status === 'active' ? <Spinner /> : null}
              </span>
              <span>{t(ITEMS[item])}</span>
              <span class="hidden">({t(STATES[status])})</span>
              {item === 'records' && isLacking && <Statuses view={view} />}
            </li>
          ))}
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
          <Button
            kind={stalled ? 'primary' : 'quiet'}
            onClick={() => flow.choose({ added: false, pointed: false, manual: true })}
          >
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
