import type { Connection } from '../api.ts';
import { Copyable } from './parts.tsx';
import type { SetupView } from './context.ts';
import { Button, Notice } from './ui.ts';

/** Offers a link to the records for a colleague, if the host page can create one. */
export function Send({ view, connection: { id, hostname } }: { view: SetupView; connection: Connection }) {
  const { t, options, redraw, memory } = view;
  const { onShare } = options;
  if (onShare === undefined) return null;
  const own = memory.link?.id === id ? memory.link : null;
  if (own?.url)
    return (
      <div class="send">
        <p>{t('sendText')}</p>
        <dl>
          <Copyable label={t('sendLink')} value={own.url} of={t('sendGo')} view={view} />
        </dl>
      </div>
    );
  const create = async () => {
    memory.link = { id, url: null, status: 'busy' };
    redraw();
    try {
      memory.link = { id, url: (await onShare({ id, domain: hostname })).url, status: 'ready' };
    } catch (error) {
      console.error(`[svc] onShare failed: ${String(error)}`);
      memory.link = { id, url: null, status: 'failed' };
    }
    redraw();
  };
  return (
    <div class="send">
      {own?.status === 'failed' && <Notice kind="warning">{t('sendFailed')}</Notice>}
      <Button kind="quiet" busy={own?.status === 'busy'} onClick={() => void create()}>
        {t('sendGo')}
      </Button>
    </div>
  );
}
