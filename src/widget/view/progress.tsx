import { checklist, writtenByService, type ChecklistStatus } from '../step.ts';
import type { WordKey } from '../../locales/words.ts';
import type { View } from './context.ts';
import { Button, Heading, Icon, Notice, Spinner } from './parts.tsx';
import { Domain, GeneralFindings } from './notices.tsx';

const ITEMS: readonly WordKey[] = ['itemOwner', 'itemRecords', 'itemCertificate'];
const STATES: Record<ChecklistStatus, WordKey> = { done: 'itemDone', active: 'itemActive', pending: 'itemPending' };

/** The step in which the customer waits: a checklist of ownership, records and certificate. */
export function Progress({ view }: { view: View }) {
  const { t, flow, state } = view;
  // `stalled` is not the connection's state: the widget's step takes longer than usual.
  const { connection, stalled, domain } = state;
  if (connection === null) return null;
  const found = connection.records_to_add.filter(({ status }) => status === 'found').length;
  const states = checklist(connection);
  // The customer adds the records, and some are still missing.
  const isManual = !writtenByService(connection) && states[1] !== 'done';
  return (
    <div class="step">
      <div class="body">
        <Heading>{t('progressTitle')}</Heading>
        <Domain name={domain} />
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
                {key === 'itemRecords' && item !== 'pending' && (
                  <span class="count">
                    {found} / {connection.records_to_add.length}
                  </span>
                )}
                <span class="hidden">({t(STATES[item])})</span>
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
