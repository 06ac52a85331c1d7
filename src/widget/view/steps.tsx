import type { Check } from '../api.ts';
import type * as email from '../email.ts';
import { confirmUrl, writtenByService } from '../step.ts';
import type { Step } from '../types.ts';
import { describeFinding, providerName, type View } from './context.ts';
import { Busy, Domain, GeneralFindings, Working } from './notices.tsx';
import { Button, Heading, Icon, LinkOut, Notice, takeFocus } from './parts.tsx';
import { Progress } from './progress.tsx';
import { Instructions, Records } from './records.tsx';

/** File name of the email setup. The build defines this constant. */
declare const EMAIL_FILE: string;

export const STEPS: Record<Step, (props: { view: View }) => preact.JSX.Element | null> = {
  enter_domain: EnterDomain,
  domain_analysis: DomainAnalysis,
  automatic_setup: AutomaticSetup,
  manual_configuration: ManualConfiguration,
  in_progress: Progress,
  success: Success,
  error: ErrorStep,
};

function EnterDomain({ view }: { view: View }) {
  const { t, flow, state, brand, isBound } = view;
  const { fault } = state;
  const submit = (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    flow.submit();
    // If the domain is invalid, the customer can correct it.
    event.currentTarget.querySelector('input')?.focus();
  };
  const suggestion = fault?.suggestion ?? null;
  return (
    <form class="step" onSubmit={submit} noValidate>
      <div class="body">
        <h1 id="title">{t('enterTitle')}</h1>
        <p class="lead">{t(isBound ? 'boundText' : 'enterText', { brand })}</p>
        <label for="domain">{t('domainLabel')}</label>
        <div class={`input ${fault === null ? '' : 'wrong'}`}>
          <Icon name="globe" />
          <input
            id="domain"
            ref={takeFocus}
            dir="ltr"
            value={state.input}
            readOnly={isBound}
            inputMode="url"
            autoComplete="off"
            autoCapitalize="none"
            spellcheck={false}
            aria-invalid={fault !== null}
            aria-describedby="domain-hint"
            onInput={(event) => flow.enter(event.currentTarget.value)}
          />
        </div>
        <p id="domain-hint" class={fault === null ? 'hint' : 'problem'}>
          {fault === null ? t('domainHint') : t(fault.key)}
        </p>
        {suggestion !== null && (
          <Button kind="quiet" onClick={() => flow.submit(suggestion)}>
            {t('didYouMean', { name: suggestion })}
          </Button>
        )}
      </div>
      <footer>
        <Button submit>{t('continue')}</Button>
      </footer>
    </form>
  );
}

function DomainAnalysis({ view }: { view: View }) {
  const { t, flow, state } = view;
  const { check, domain } = state;
  if (check === null) return <Busy title={t('analysisBusy')} domain={domain} />;
  const known = check.provider_slug !== 'unknown';
  return (
    <div class="step">
      <div class="body">
        <Heading>{t('analysisTitle')}</Heading>
        <Domain name={domain} />
        <div class="provider">
          <span class="badge" aria-hidden="true">
            {known ? check.provider.slice(0, 1).toUpperCase() : '?'}
          </span>
          <div>
            <span class="label">{t('providerLabel')}</span>
            <strong>{known ? check.provider : t('providerUnknown')}</strong>
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

/** A preview of the setup: the next action, its duration, and conflicting records. */
function SetupPreview({ view, check }: { view: View; check: Check }) {
  const { t } = view;
  if (!check.registered) return <Notice kind="warning">{t('unregistered', { domain: check.domain })}</Notice>;
  const provider = providerName(view);
  const [what, how] = check.auto_configurable
    ? (['willAuto', 'aboutOne'] as const)
    : check.domain_connect.template_supported
      ? (['willConfirm', 'aboutTwo'] as const)
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
      {found.length > 0 && <Notice kind="warning">{t('conflicts', { found: view.list(found) })}</Notice>}
      {check.findings.map((finding) => {
        const text = describeFinding(view, finding);
        return text === null || finding.severity === 'info' ? null : <Notice kind="warning">{text}</Notice>;
      })}
    </>
  );
}

function AutomaticSetup({ view }: { view: View }) {
  const { t, flow, state, list } = view;
  const { connection, domain } = state;
  if (connection === null) return null;
  const provider = providerName(view);
  const url = confirmUrl(connection);
  if (!writtenByService(connection) && url !== null) {
    const records = list(connection.records_to_add.map(({ panel_type }) => panel_type));
    return (
      <div class="step">
        <div class="body">
          <Heading>{t('confirmTitle', { provider })}</Heading>
          <p class="lead">{t('confirmText', { provider, records })}</p>
        </div>
        <footer>
          <LinkOut href={url} view={view} kind="button primary">
            {t('confirmGo', { provider })}
          </LinkOut>
          <Button kind="quiet" onClick={() => flow.choose({ manual: true })}>
            {t('addManually')}
          </Button>
        </footer>
      </div>
    );
  }
  const creates = connection.plan?.creates ?? [];
  const written = creates.map(({ type, relative_host }) => `${type} ${relative_host}`);
  return (
    <div class="step">
      <div class="body centred">
        <Working />
        <Heading>{t('autoTitle')}</Heading>
        <Domain name={domain} />
        <p class="lead">{written.length > 0 ? t('autoText', { records: list(written), provider }) : t('autoKept')}</p>
        <GeneralFindings view={view} />
      </div>
    </div>
  );
}

function ManualConfiguration({ view }: { view: View }) {
  const { t, flow, state } = view;
  const { connection } = state;
  if (connection === null) return null;
  const provider = providerName(view);
  const url = connection.provider_panel?.url ?? state.check?.control_panel_url ?? null;
  return (
    <div class="step wide">
      <div class="body">
        <Heading>{t('manualTitle', { provider })}</Heading>
        <p class="lead">{t('manualText')}</p>
        <GeneralFindings view={view} />
        <Instructions view={view} connection={connection} />
        <Records view={view} connection={connection} />
      </div>
      <footer>
        <Button busy={state.busy} onClick={() => void flow.confirmAdded()}>
          {t(state.busy ? 'checking' : 'added')}
        </Button>
        {url !== null && (
          <LinkOut href={url} view={view} kind="button quiet">
            {t('openPanel', { provider })}
          </LinkOut>
        )}
      </footer>
    </div>
  );
}

/** A ref that loads the email setup into the element, if the application allows it. */
const emailSetup = (view: View) => (container: HTMLElement | null) => {
  if (container === null) return;
  if (view.state.connection?.widget_email !== true) console.warn('[svc] widget_email is off.');
  else void import(`${view.baseUrl}/sdk/v1/${EMAIL_FILE}`).then(({ show }: typeof email) => show(container, view));
};

function Success({ view }: { view: View }) {
  const { t, state, close, options } = view;
  const domain = state.domain ?? '';
  return (
    <div class="step">
      <div class="body centred">
        <span class="medal" aria-hidden="true">
          <Icon name="check" />
        </span>
        <Heading>{t('successTitle')}</Heading>
        <Domain name={domain} />
        <p class="lead">{t('successText')}</p>
        {options.email && <div ref={emailSetup(view)} />}
      </div>
      <footer>
        <Button onClick={() => close('completed')}>{t('done')}</Button>
        <LinkOut href={`https://${domain}`} view={view} kind="button quiet">
          {t('visit')}
        </LinkOut>
      </footer>
    </div>
  );
}

const BY_ERROR_KIND = {
  held: 'errorHeld',
  quota: 'errorQuota',
  unreachable: 'errorUnreachable',
  other: 'errorOther',
} as const;
const BY_ERROR_CODE: Record<string, 'errorOwner' | 'errorRecords' | 'errorCertificate' | 'errorLost'> = {
  ownership_timeout: 'errorOwner',
  propagation_timeout: 'errorRecords',
  cert_failed: 'errorCertificate',
  claim_lost: 'errorLost',
};

function ErrorStep({ view }: { view: View }) {
  const { t, flow, state, brand } = view;
  const { errorKind, connection } = state;
  const domain = state.domain ?? '';
  const ended = connection?.state === 'archived' ? 'errorGone' : BY_ERROR_CODE[connection?.error_code ?? ''];
  const key = errorKind === null ? (ended ?? 'errorOther') : BY_ERROR_KIND[errorKind];
  const again = errorKind === null ? 'startAgain' : 'tryAgain';
  const retry = (kind: 'primary' | 'quiet') => (
    <Button key="retry" kind={kind} busy={state.busy} onClick={() => flow.retry()}>
      {t(again)}
    </Button>
  );
  const other = (kind: 'primary' | 'quiet') =>
    !view.isBound && (
      <Button key="other" kind={kind} onClick={() => flow.restart()}>
        {t('otherDomain')}
      </Button>
    );
  return (
    <div class="step">
      <div class="body centred">
        <span class="medal bad" aria-hidden="true">
          <Icon name="alert" />
        </span>
        <Heading>{t('errorTitle')}</Heading>
        <p class="lead">{t(key, { domain, brand })}</p>
      </div>
      <footer>
        {/* Retrying rarely helps while another account has the hostname. */}
        {errorKind === 'held' && !view.isBound
          ? [other('primary'), retry('quiet')]
          : [retry('primary'), other('quiet')]}
      </footer>
    </div>
  );
}
