import { PANEL_STEP_WORDS, STATUS_WORDS } from '../../locales/finding-words.ts';
import type { Connection } from '../api.ts';
import { describeFinding, findingOf, providerName, type View } from './context.ts';
import { Copyable, Icon, LinkOut, Pill } from './parts.tsx';

/** Every record to add, as the provider's form expects it, with the result of the last check. */
export function Records({ view, connection }: { view: View; connection: Connection }) {
  return (
    <ul class="records">
      {connection.records_to_add.map((record) => (
        <li key={`${record.type} ${record.host} ${record.value}`}>
          <Record view={view} connection={connection} record={record} />
        </li>
      ))}
    </ul>
  );
}

type RecordProps = { view: View; connection: Connection; record: Connection['records_to_add'][number] };

function Record({ view, connection, record }: RecordProps) {
  const { t } = view;
  const { panel_type, panel_host, panel_value, priority, status } = record;
  const finding = findingOf(connection, record);
  const problem = finding && describeFinding(view, finding);
  const name = `${t('record', { type: panel_type })} ${panel_host}`;
  return (
    <article class={`record ${status}`} aria-label={name}>
      <header>
        <span class="type">{panel_type}</span>
        <Pill status={status}>{t(STATUS_WORDS[status])}</Pill>
      </header>
      <dl>
        <Copyable label={t('name')} value={panel_host} of={name} view={view} />
        <Copyable label={t('value')} value={panel_value} of={name} view={view} />
        {priority !== null && <Copyable label={t('priority')} value={String(priority)} of={name} view={view} />}
      </dl>
      {problem && <p class="problem">{problem}</p>}
    </article>
  );
}

/** Instructions for the provider's control panel, collapsed at first. */
export function Instructions({ view, connection }: { view: View; connection: Connection }) {
  const { t, baseUrl } = view;
  const { provider_panel: panel, provider } = connection;
  if (panel === null || panel.steps.length === 0 || provider === null) return null;
  return (
    <details class="instructions">
      <summary>
        <Icon name="down" />
        {t('howTo', { provider: providerName(view) })}
      </summary>
      <ol>
        {panel.steps.map(({ code, params }) => (
          <li key={code}>{t(PANEL_STEP_WORDS[code], params)}</li>
        ))}
      </ol>
      <LinkOut href={`${baseUrl}/docs/providers/${provider}`} view={view} kind="link">
        {t('guide')}
      </LinkOut>
    </details>
  );
}
