import { checklist, writesItself, type ItemState } from '../screen.ts';
import type { WordKey } from '../../locales/words.ts';
import type { View } from './context.ts';
import { Button, Heading, Icon, Notice, Spinner } from './parts.tsx';
import { Domain, GeneralFindings } from './notices.tsx';

const ITEMS: readonly WordKey[] = ['itemOwner', 'itemRecords', 'itemCertificate'];
const STATES: Record<ItemState, WordKey> = { done: 'stateDone', now: 'stateNow', next: 'stateNext' };

/** What is done, what is under way and, when it takes long, what to look at. */
export function Progress({ view }: { view: View }) {
  const { t, flow, state } = view;
  const { connection, stalled, domain } = state;
  if (connection === null) return null;
  const found = connection.records_to_add.filter(({ status }) => status === 'found').length;
  const states = checklist(connection);
  const byHand = !writesItself(connection) && states[1] !== 'done';
  return (
    <div class="screen">
      <div class="body">
        <Heading>{t('progressTitle')}</Heading>
        <Domain name={domain} />
        <p class="lead">{t('progressText')}</p>
        <ol class="checklist">
          {ITEMS.map((key, i) => {
            const item = states[i] ?? 'next';
            return (
              <li key={key} class={item}>
                <span class="mark">
                  {item === 'done' ? <Icon name="check" /> : item === 'now' ? <Spinner /> : null}
                </span>
                <span>{t(key)}</span>
                {key === 'itemRecords' && item !== 'next' && (
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
            {byHand && <p>{t('stallLook')}</p>}
          </Notice>
        )}
      </div>
      {byHand && (
        <footer>
          <Button kind={stalled ? 'primary' : 'quiet'} onClick={() => flow.choose({ added: false, byHand: true })}>
            {t('showRecords')}
          </Button>
        </footer>
      )}
    </div>
  );
}
