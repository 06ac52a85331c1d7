/** Options of `open`. This file has no imports, because the client package publishes it unchanged. */
export interface OpenOptions {
  /** The application that the domain is connected to. */
  applicationId: string;
  /** A widget token that your backend created with POST /v1/tokens. It expires after an hour. */
  token: string;
  /** Your product's name, as the customer knows it. */
  brandName?: string;
  /** Shows on the last step which records a mailbox provider needs. */
  email?: boolean;
  theme?: Theme;
  /** A language tag such as `de` or `pt-BR`. Default: the page's language, then the browser's. */
  locale?: string;
  /** Returns a new token from your backend. Called when the token has expired, so that the customer can continue. */
  getToken?: () => Promise<string>;
  /** Returns a link for a colleague from your backend, which calls POST /v1/connections/{id}/share. */
  onShare?: (connection: ConnectedDomain) => Promise<{ url: string }>;
  /** Lets your backend add mail records with POST /v1/connections/{id}/email:apply. Returns the answer. */
  onEmailApply?: (connection: ConnectedDomain, mailboxProvider: string) => Promise<EmailApplied>;
  /** Called when a domain is live, once for each domain. */
  onSuccess?: (result: ConnectedDomain) => void;
  /** Called once, when the widget closes for any reason. */
  onClose?: (result: { id: string | null; domain: string | null; succeeded: boolean }) => void;
  /** URL of the service. Default: the URL that this script was loaded from. */
  baseUrl?: string;
}

export interface ConnectedDomain {
  /** Id of the connection. */
  id: string;
  domain: string;
}

/** Fields of the answer of email:apply that the widget uses. */
export interface EmailApplied {
  written_records: readonly MailRecord[];
  manual_records: readonly MailRecord[];
}

export interface MailRecord {
  host: string;
  relative_host: string;
  type: string;
  value: string;
  priority: number | null;
}

export interface Theme {
  /** Any CSS colour. */
  accentColor?: string;
  accentTextColor?: string;
  background?: string;
  foreground?: string;
  /** Any CSS length, such as `12px`. */
  radius?: string;
  /** Image shown instead of `brandName`. If it cannot be loaded, the name is shown. */
  logoUrl?: string;
  hideBranding?: boolean;
}

export type Step =
  'enter_domain' | 'domain_analysis' | 'automatic_setup' | 'manual_configuration' | 'in_progress' | 'success' | 'error';

export type SetupType = 'automatic' | 'manual';
export type CloseReason = 'completed' | 'user_exit' | 'session_expired' | 'error' | 'api';

export interface StepDetail {
  domain: string | null;
  provider: string | null;
  step: Step;
  jobId: string | null;
}

export interface SuccessDetail {
  domain: string;
  success: true;
  setupType: SetupType;
  provider: string | null;
  jobId: string;
}

export interface CloseDetail {
  domain: string | null;
  success: boolean;
  setupType: SetupType | null;
  provider: string | null;
  lastStatus: string | null;
  jobId: string | null;
  reason: CloseReason;
}

/** Events that fire on `window`: `window.addEventListener('svc:success', ({ detail }) => …)`. */
export interface WidgetEvents {
  'svc:step': CustomEvent<StepDetail>;
  'svc:success': CustomEvent<SuccessDetail>;
  'svc:close': CustomEvent<CloseDetail>;
}

/** The global `Svc` of the classic script, and the exports of the module. */
export interface Widget {
  /** Opens the widget. A second call while it is open does nothing. */
  open(options: OpenOptions): void;
  /** Closes the widget without asking the customer. */
  close(): void;
}
