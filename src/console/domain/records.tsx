import type { RecordStatus } from '../../domain/observation/record-status.ts';
import { setup } from '../../locales/en.ts';
import { STATUS_WORDS } from '../../locales/finding-words.ts';
import { Badge } from '../parts/badge.tsx';
import type { Tone } from '../states.ts';
import { Card } from '../parts/basics.tsx';
import { Code } from '../parts/code.tsx';
import { Time } from '../parts/time.tsx';
import type { Answer } from '../paths.ts';
import { codeInWords } from '../words.ts';
import type { Detail } from './steps.ts';

export type Checked = Answer<'/v1/connections/{id}/records:check', 'post'>['records'];

const TONES: Record<RecordStatus, Tone> = {
  found: 'good',
  ready: 'good',
  spreading: 'busy',
  pending: 'busy',
  unchecked: 'quiet',
  later: 'quiet',
  optional: 'quiet',
  missing: 'warn',
  wrong: 'bad',
  conflict: 'bad',
};

/** The records as wanted, as the last check found them, and as each name server answers after "Check now". */
export function Records({ connection, checked }: { connection: Detail; checked: Checked | null }) {
  const { records_to_add: records, last_checked_at, next_check_at } = connection;
  const times = (
    <>
      checked <Time at={last_checked_at} />
      {next_check_at && (
        <>
          , next check <Time at={next_check_at} />
        </>
      )}
    </>
  );
  return (
    <Card title="DNS records" aside={times}>
      <ul class="records">
        {records.map((record) => (
          <li key={`${record.type} ${record.host} ${record.value}`}>
            <div class="record-head">
              <code class="type">{record.type}</code>
              <Code value={record.host} of="the name" />
              <StatusBadge status={record.status} />
            </div>
            <div class="record-value">
              <span class="muted">wanted</span>
              <Code
                value={record.priority === null ? record.value : `${record.priority} ${record.value}`}
                of="the value"
              />
            </div>
            <Servers answers={checked?.find((one) => isSame(one, record))?.servers} />
          </li>
        ))}
      </ul>
      {checked === null && <p class="muted">“Check now” shows what each name server answers.</p>}
    </Card>
  );
}

const isSame = (a: { host: string; type: string; value: string }, b: typeof a): boolean =>
  a.host === b.host && a.type === b.type && a.value === b.value;

const StatusBadge = ({ status }: { status: string }) => {
  const known = status as RecordStatus;
  return <Badge tone={(TONES as Record<string, Tone>)[status] ?? 'quiet'}>{status in STATUS_WORDS ? setup[STATUS_WORDS[known]] : codeInWords(status)}</Badge>; // prettier-ignore
};

function Servers({ answers }: { answers: Checked[number]['servers'] | undefined }) {
  if (answers === undefined) return null;
  if (answers.length === 0) return <p class="muted">No name server could be asked.</p>;
  return (
    <ul class="servers" aria-label="Answers of the servers">
      {answers.map(({ server, kind, values, cause }) => (
        <li key={kind + server}>
          <span>
            {server}
            <span class="muted"> {kind === 'resolver' ? '(public resolver)' : ''}</span>
          </span>
          <span>
            {values === null ? (
              <span class="error">no answer{cause ? ` (${codeInWords(cause).toLowerCase()})` : ''}</span>
            ) : values.length === 0 ? (
              <span class="muted">no such record</span>
            ) : (
              values.map((value) => <code key={value}>{value}</code>)
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
