import type { EmailSetup } from '../api.ts';
import { Copyable } from '../setup/parts.tsx';
import { Button, Notice } from '../setup/ui.ts';
import type { MailRecord } from '../types.ts';
import type { EmailView } from './context.ts';
import { noteText } from './notes.ts';

type Wanted = EmailSetup['records'][number];
type Props = { view: EmailView; setup: EmailSetup };

/** The records of one mailbox provider: those that exist, those that are missing, and what would change. */
export function Provider({ view, setup }: Props) {
  const { e, email } = view;
  const { domain, provider_name: provider } = setup;
  const written = email.applied?.written_records ?? [];
  const missing = setup.records.filter((record) => !isAmong(record, written));
  const existing = [...setup.existing, ...written];
  return (
    <>
      {written.length > 0 && <p>{e('added', { records: view.list(written.map(titleOf)) })}</p>}
      {setup.observed_at === null && <Notice kind="danger">{e('unobserved', { domain })}</Notice>}
      {missing.length === 0 && <p>{e('allSet', { provider })}</p>}
      <Notes view={view} setup={setup} />
      {existing.length > 0 && (
        <>
          <h3>{e('existing')}</h3>
          <ul class="existing">
            {existing.map((record) => (
              <li key={keyOf(record)}>
                <span class="type">{record.type}</span> <code dir="ltr">{lineOf(record)}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {missing.length > 0 && written.length > 0 && <h3>{e('remaining')}</h3>}
      <ul class="records">
        {missing.map((record) => (
          <li key={keyOf(record)}>
            <Card view={view} record={record} />
          </li>
        ))}
      </ul>
      {email.applied === null && <Apply view={view} setup={setup} />}
    </>
  );
}

function Notes({ view: { e }, setup: { notes } }: Props) {
  if (notes.length === 0) return null;
  return (
    <Notice kind="warning" title={e('notes')}>
      <ul>
        {notes.map((note) => (
          <li key={note.code}>{noteText(note, e)}</li>
        ))}
      </ul>
    </Notice>
  );
}

/** A record that is missing. If it replaces published ones, the card shows them under "Change", never "Add". */
function Card({ view, record }: { view: EmailView; record: Wanted }) {
  const { t, e } = view;
  const { type, relative_host, value, priority, action, replaces } = record;
  const isChange = action === 'replace';
  const name = titleOf(record);
  return (
    <article class="record" aria-label={`${e(action)}: ${name}`}>
      <header>
        <span class="type">{type}</span>
        <span class={`pill ${isChange ? 'spreading' : ''}`}>{e(action)}</span>
      </header>
      <dl>
        <Copyable label={t('name')} value={relative_host} of={name} view={view} isName />
        {replaces.map((old) => (
          <div key={keyOf(old)} class="field">
            <dt>{e('current')}</dt>
            <dd>
              <s>
                <code dir="ltr">{dataOf(old)}</code>
              </s>
            </dd>
          </div>
        ))}
        <Copyable label={isChange ? e('fresh') : t('value')} value={value} of={name} view={view} />
        {priority !== null && <Copyable label={t('priority')} value={String(priority)} of={name} view={view} />}
      </dl>
    </article>
  );
}

/** Offers to add the records that harm no existing one, if the host page can do so, and asks before it does. */
function Apply({ view, setup }: Props) {
  const { e, email, change, options } = view;
  const { onEmailApply } = options;
  const { domain, provider, provider_name } = setup;
  // The service never writes an SPF record, because it applies to every sender of the domain.
  const addable = setup.records.filter(({ action, value }) => action === 'add' && !value.startsWith('v=spf1'));
  if (onEmailApply === undefined || addable.length === 0 || setup.observed_at === null) return null;
  const apply = async () => {
    const { id, hostname } = view.state.connection ?? { id: '', hostname: '' };
    change({ busy: true, failed: false });
    try {
      change({ applied: await onEmailApply({ id, domain: hostname }, provider) });
    } catch (error) {
      console.error(`[svc] onEmailApply failed: ${String(error)}`);
      change({ failed: true });
    }
    change({ busy: false, asking: false });
  };
  if (!email.asking) return <Button onClick={() => change({ asking: true })}>{e('applyGo')}</Button>;
  return (
    <div class="ask" role="group" aria-labelledby="ask-title">
      <h3 id="ask-title">{e('askTitle', { domain })}</h3>
      <p>{e('askText')}</p>
      <ul class="existing">
        {addable.map((record) => (
          <li key={keyOf(record)}>
            <span class="type">{record.type}</span> <code dir="ltr">{lineOf(record)}</code>
          </li>
        ))}
      </ul>
      {addable.some(({ type }) => type === 'MX') && (
        <Notice kind="warning">{e('askMx', { domain, provider: provider_name })}</Notice>
      )}
      <Button busy={email.busy} onClick={() => void apply()}>
        {e('askYes')}
      </Button>
      <Button kind="quiet" onClick={() => change({ asking: false })}>
        {e('askNo')}
      </Button>
    </div>
  );
}

const keyOf = ({ type, host, value }: MailRecord): string => `${type} ${host} ${value}`;
const titleOf = ({ type, relative_host }: MailRecord): string => `${type} ${relative_host}`;
const dataOf = ({ priority, value }: MailRecord): string => (priority === null ? value : `${priority} ${value}`);
const lineOf = (record: MailRecord): string => `${record.relative_host} ${dataOf(record)}`;

const isAmong = (record: MailRecord, others: readonly MailRecord[]): boolean => {
  for (const other of others) if (keyOf(other) === keyOf(record)) return true;
  return false;
};
