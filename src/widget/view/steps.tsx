import { unicodeHostname } from '../../domain/idn.ts';
import type { View } from './context.ts';
import { Button, Heading, Icon, takeFocus } from './parts.tsx';

export function EnterDomain({ view }: { view: View }) {
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
            {t('didYouMean', { name: unicodeHostname(suggestion) })}
          </Button>
        )}
      </div>
      <footer>
        <Button submit>{t('continue')}</Button>
      </footer>
    </form>
  );
}

const BY_ERROR_KIND = {
  held: 'errorHeld',
  quota: 'errorQuota',
  unreachable: 'errorUnreachable',
  not_ready: 'notReadyText',
  other: 'errorOther',
} as const;
const BY_ERROR_CODE: Record<string, 'errorOwner' | 'errorRecords' | 'errorCertificate' | 'errorLost'> = {
  ownership_timeout: 'errorOwner',
  propagation_timeout: 'errorRecords',
  cert_failed: 'errorCertificate',
  claim_lost: 'errorLost',
};

export function ErrorStep({ view }: { view: View }) {
  const { t, flow, state, brand } = view;
  const { errorKind, connection } = state;
  const domain = unicodeHostname(state.domain ?? '');
  const ended = connection?.state === 'archived' ? 'errorGone' : BY_ERROR_CODE[connection?.error_code ?? ''];
  const key = errorKind === null ? (ended ?? 'errorOther') : BY_ERROR_KIND[errorKind];
  const isNotReady = errorKind === 'not_ready';
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
        <Heading>{t(isNotReady ? 'notReadyTitle' : 'errorTitle')}</Heading>
        <p class="lead">{t(key, { domain, brand })}</p>
      </div>
      <footer>
        {isNotReady ? (
          <Button onClick={() => view.close('error')}>{t('close')}</Button>
        ) : /* Retrying rarely helps while another account has the hostname. */
        errorKind === 'held' && !view.isBound ? (
          [other('primary'), retry('quiet')]
        ) : (
          [retry('primary'), other('quiet')]
        )}
      </footer>
    </div>
  );
}
