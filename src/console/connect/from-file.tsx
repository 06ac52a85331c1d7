import { useMemo, useState } from 'preact/hooks';
import { BATCH_LIMIT } from '../../domain/connection/batch.ts';
import { post } from '../api.ts';
import { useApplicationField } from '../applications.tsx';
import { refresh } from '../live.ts';
import { Badge } from '../parts/badge.tsx';
import { Card } from '../parts/basics.tsx';
import { Checkbox, TextArea } from '../parts/fields.tsx';
import { fieldProblems, Form, useSubmit } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { DataTable, type Column } from '../parts/table.tsx';
import { usePlace } from '../place.ts';
import { readRows, type Row } from './rows.ts';

/** Connects the domains of a CSV file after a preview of every row. */
export function FromFile() {
  const { go, scope } = usePlace();
  const application = useApplicationField(null, useState<string | null>(null));
  const [text, setText] = useState('');
  const { rows: read, unknown } = useMemo(() => readRows(text, scope.environment === 'test'), [text]);
  const submit = useSubmit(async () => {
    const body = { application_id: application.id, hostnames: read.map(({ entry }) => entry) };
    const { batch_id } = await post('/v1/batches', { body });
    refresh('/v1/');
    go(`/connect/${batch_id}`);
  });
  const rows = withRefusals(read, submit.error);
  const bad = rows.filter(({ problem }) => problem !== null).length;
  const isTooLong = rows.length > BATCH_LIMIT;
  const good = rows.length - bad;
  return (
    <Card title="Many domains" aside={`CSV, up to ${BATCH_LIMIT.toLocaleString('en')} rows`}>
      <Form
        submit={submit}
        button={good === 1 ? 'Connect 1 domain' : `Connect ${good.toLocaleString('en')} domains`}
        disabled={application.id === '' || good === 0 || isTooLong}
      >
        {application.field}
        <FileField onText={setText} />
        <TextArea
          label="Or paste the rows"
          rows={5}
          value={text}
          onValue={setText}
          hint="Columns: hostname and external_id. A header can name them in another order, and add origin_url, redirect.to, metadata.NAME, serve and var.NAME."
        />
        {isTooLong && (
          <Notice tone="warning">
            <p>
              The file has {rows.length.toLocaleString('en')} rows. A batch can have {BATCH_LIMIT.toLocaleString('en')}:
              split the file.
            </p>
          </Notice>
        )}
        {unknown.length > 0 && (
          <Notice>
            <p>
              These columns are ignored: <bdi>{unknown.join(', ')}</bdi>.
            </p>
          </Notice>
        )}
        {rows.length > 0 && <Preview rows={rows} bad={bad} />}
      </Form>
    </Card>
  );
}

function FileField({ onText }: { onText: (text: string) => void }) {
  return (
    <div class="field">
      <label for="csv-file">CSV file</label>
      <input
        id="csv-file"
        type="file"
        accept=".csv,.txt,text/csv,text/plain"
        onChange={(event) => void event.currentTarget.files?.[0]?.text().then(onText)}
      />
    </div>
  );
}

/** A request that the API refuses as a whole names the rows at fault, such as body.hostnames.7.origin_url. */
function withRefusals(rows: readonly Row[], error: unknown): Row[] {
  const refused = new Map<number, string>();
  for (const { path, message } of fieldProblems(error)) {
    const [, index] = /^body\.hostnames\.(\d+)/.exec(path) ?? [];
    if (index !== undefined) refused.set(Number(index) + 1, message);
  }
  return rows.map((row) => ({ ...row, problem: refused.get(row.row) ?? row.problem }));
}

const COLUMNS: readonly Column<Row>[] = [
  { head: 'Line', cell: ({ line }) => line, class: 'num' },
  { head: 'Hostname', cell: ({ entry }) => <bdi>{entry.hostname}</bdi> },
  { head: 'Customer', cell: ({ entry }) => entry.external_id && <bdi>{entry.external_id}</bdi> },
  { head: 'Check', cell: ({ problem }) => problem === null ? <Badge tone="good">Valid</Badge> : <span class="error">{problem}</span> }, // prettier-ignore
];

function Preview({ rows, bad }: { rows: readonly Row[]; bad: number }) {
  const [onlyBad, setOnlyBad] = useState(false);
  const shown = rows.filter(({ problem }) => !onlyBad || problem !== null).slice(0, BATCH_LIMIT);
  return (
    <>
      <div class="preview-head">
        <p role="status">
          {rows.length.toLocaleString('en')} rows, {bad === 0 ? 'all of them valid' : `${bad} with a problem`}
        </p>
        {bad > 0 && <Checkbox label="Only rows with a problem" checked={onlyBad} onValue={setOnlyBad} />}
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Preview of the rows">
        <DataTable
          label="Rows of the file"
          columns={COLUMNS}
          rows={{ data: { data: shown }, error: null }}
          keyOf={({ row }) => String(row)}
          empty={<p class="muted">No row has a problem.</p>}
        />
      </div>
      {bad > 0 && (
        <p class="hint">
          The service refuses rows with a problem, and connects the others. The next screen lists what was refused.
        </p>
      )}
    </>
  );
}
