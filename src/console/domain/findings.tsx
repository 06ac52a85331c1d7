import { setup } from '../../locales/en.ts';
import { findingParams, findingWords } from '../../locales/finding-words.ts';
import { fill } from '../../locales/words.ts';
import { Card } from '../parts/basics.tsx';
import { Code } from '../parts/code.tsx';
import { Icon } from '../parts/icon.tsx';
import type { Schemas } from '../paths.ts';
import { codeInWords } from '../words.ts';

type Finding = Schemas['Finding'];
const ORDER = ['error', 'warning', 'info'];

/** Problems, each with its fix and with the sentence that the customer reads in the widget. */
export function Findings({ of }: { of: readonly Finding[] }) {
  if (of.length === 0) return null;
  const sorted = [...of].sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  return (
    <Card title="What needs a fix" class="findings">
      <ul>
        {sorted.map((finding, i) => (
          <li key={`${finding.code} ${i}`} class={finding.severity}>
            <Icon name={finding.severity === 'info' ? 'clock' : 'alert'} />
            <div>
              <h3>{codeInWords(finding.code)}</h3>
              <p>{finding.message}</p>
              {finding.fix && (
                <p class="fix">
                  <strong>Fix:</strong> {finding.fix}
                </p>
              )}
              {(finding.records ?? []).map((record) => (
                <p key={`${record.type} ${record.host} ${record.value}`}>
                  <Code value={`${record.host} ${record.type} ${record.value}`} of="the record" />
                </p>
              ))}
              <Customer finding={finding} />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}

function Customer({ finding }: { finding: Finding }) {
  const key = findingWords(finding);
  if (key === undefined) return null;
  return <p class="muted">Your customer reads: “{fill(setup[key], findingParams(finding))}”</p>;
}
