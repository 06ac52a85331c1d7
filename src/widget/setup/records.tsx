import type { RecordStatus } from '../../domain/observation/record-status.ts';
import { PANEL_STEP_WORDS, STATUS_WORDS } from '../../locales/finding-words.ts';
import type { Connection } from '../api.ts';
import { problemOf, providerName, type RecordToAdd, type SetupView } from './context.ts';
import { Copyable, LinkOut } from './parts.tsx';
import { Icon } from './ui.ts';

type RecordsProps = { view: SetupView; connection: Connection; records?: RecordToAdd[] };

/** Every record to add, or some of them, as the provider's form expects it, with the result of the last check. */
export function Records({ view, connection, records = connection.records_to_add }: RecordsProps) {
  return (
    <ul class="records">
      {records.map((record) =>
        record.status === 'later' ? null : (
          <li key={keyOf(record)}>
            <Record view={view} connection={connection} record={record} />
          </li>
        ),
      )}
    </ul>
  );
}

export const keyOf = ({ type, host, value }: RecordToAdd): string => `${type} ${host} ${value}`;

type RecordProps = { view: SetupView; connection: Connection; record: RecordToAdd };

function Record({ view, connection, record }: RecordProps) {
  const { t } = view;
  const { type, panel_type, panel_host, panel_value, priority, status } = record;
  const problem = problemOf(view, connection, record);
  const name = `${t('record', { type: panel_type })} ${panel_host}`;
  return (
    <article class={`record ${status}`} aria-label={name}>
      <header>
        <span class="type">{panel_type}</span>
        <StatusPill view={view} status={status} />
      </header>
      <dl>
        <Copyable label={t('name')} value={panel_host} of={name} view={view} isName />
        <Copyable label={t('value')} value={panel_value} of={name} view={view} isName={type !== 'TXT'} />
        {priority !== null && <Copyable label={t('priority')} value={String(priority)} of={name} view={view} />}
      </dl>
      {problem !== null && <p class="problem">{problem}</p>}
    </article>
  );
}

export function StatusPill({ view, status }: { view: SetupView; status: RecordStatus }) {
  const icon =
    status === 'found' || status === 'ready'
      ? 'check'
      : status === 'wrong' || status === 'conflict'
        ? 'alert'
        : 'clock';
  return (
    <span class={`pill ${status}`}>
      <Icon name={icon} />
      {view.t(STATUS_WORDS[status])}
    </span>
  );
}

/** Instructions for the control panel, collapsed at first. They are always there, so that nothing moves later. */
export function Instructions({ view, connection }: { view: SetupView; connection: Connection }) {
  const { t, baseUrl } = view;
  const { provider_panel: panel, provider } = connection;
  const steps = panel?.steps ?? [];
  const texts =
    steps.length > 0
      ? steps.map(({ code, params }) => t(PANEL_STEP_WORDS[code], params))
      : [t('stepAnySignIn'), t('stepAnyOpen'), t('stepAdd')];
  return (
    <details class="instructions">
      <summary>
        <Icon name="down" />
        {t('howTo', { provider: providerName(view) })}
      </summary>
      <ol>
        {texts.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ol>
      {panel !== null && (
        <LinkOut href={`${baseUrl}/docs/providers/${provider ?? ''}`} view={view} kind="link">
          {t('guide')}
        </LinkOut>
      )}
    </details>
  );
}
