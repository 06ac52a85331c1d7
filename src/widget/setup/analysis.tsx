import { unicodeHostname } from '../../domain/idn.ts';
import type { Check } from '../api.ts';
import { describeFinding, providerName, type SetupView } from './context.ts';
import { Button, Domain, Heading, Notice } from './ui.ts';

/** The result of the first check. Nothing starts before the customer continues. */
export function DomainAnalysis({ view }: { view: SetupView }) {
  const { t, flow, state } = view;
  const { check } = state;
  if (check === null) return null;
  const name = check.provider_name;
  return (
    <div class="step">
      <div class="body">
        <Heading>{t('analysisTitle')}</Heading>
        <Domain view={view} />
        {state.taken && <Notice kind="info">{t('takenFrom', { domain: unicodeHostname(check.domain) })}</Notice>}
        <div class="provider">
          <span class="badge" aria-hidden="true">
            {name?.slice(0, 1).toUpperCase() ?? '?'}
          </span>
          <div>
            <span class="label">{t('providerLabel')}</span>
            <strong>{name ?? t('providerUnknown')}</strong>
          </div>
        </div>
        <SetupPreview view={view} check={check} />
      </div>
      <footer>
        {check.registered ? (
          <Button onClick={() => void flow.connect()} busy={state.busy}>
            {t('continue')}
          </Button>
        ) : (
          <Button onClick={() => flow.restart()}>{t('otherDomain')}</Button>
        )}
      </footer>
    </div>
  );
}

/** A preview of the setup: the next action, its duration, conflicting records, and the offer to connect www too. */
function SetupPreview({ view, check }: { view: SetupView; check: Check }) {
  const { t } = view;
  if (!check.registered)
    return <Notice kind="warning">{t('unregistered', { domain: unicodeHostname(check.domain) })}</Notice>;
  const provider = providerName(view);
  const [what, how] = check.domain_connect.consent_needed
    ? (['willConfirm', 'aboutTwo'] as const)
    : check.auto_configurable
      ? (['willAuto', 'aboutOne'] as const)
      : (['willManual', 'aboutFive'] as const);
  const found = check.record_conflicts.map(({ type, value }) => `${type} ${value}`);
  return (
    <>
      <dl class="facts">
        <dt>{t('nextLabel')}</dt>
        <dd>{t(what, { provider })}</dd>
        <dt>{t('durationLabel')}</dt>
        <dd>{t(how)}</dd>
      </dl>
      <CompanionChoice view={view} check={check} />
      {found.length > 0 && <Notice kind="warning">{t('conflicts', { found: view.list(found) })}</Notice>}
      {check.findings.map((finding) => {
        const text = describeFinding(view, finding);
        return text === null || finding.severity === 'info' ? null : <Notice kind="warning">{text}</Notice>;
      })}
    </>
  );
}

function CompanionChoice({ view, check }: { view: SetupView; check: Check }) {
  const { t, flow, state } = view;
  if (check.companion === null) return null;
  const [name, domain] = [unicodeHostname(check.companion.hostname), unicodeHostname(check.domain)];
  return (
    <label class="choice">
      <input
        type="checkbox"
        checked={state.companion === true}
        disabled={state.busy}
        onChange={(event) => flow.chooseCompanion(event.currentTarget.checked)}
      />
      <span>
        <strong>{t('alsoConnect', { name })}</strong>
        <span>{t('alsoText', { name, domain })}</span>
      </span>
    </label>
  );
}
