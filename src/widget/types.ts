/**
 * What a page that embeds the widget deals with: the options of `open`, and what its events say. Nothing here imports
 * anything, so that the client package can hand it out as it stands.
 */
export interface OpenOptions {
  /** The application that the domain is connected for. */
  applicationId: string;
  /** A widget token that your backend minted with POST /v1/tokens; it lives for an hour. */
  token: string;
  /** Your product's name, as the customer knows it. */
  brandName?: string;
  /** Adds the optional step for email DNS, where the application allows it. */
  email?: boolean;
  theme?: Theme;
  /** A language tag such as `de` or `pt-BR`. Without it the page's own language, then the browser's. */
  locale?: string;
  /** Called once, when the domain is live. */
  onSuccess?: (result: { id: string; domain: string }) => void;
  /** Called once, when the window is closed, however that came. */
  onClose?: (result: { id: string | null; domain: string | null; succeeded: boolean }) => void;
  /** Where the service is reached; by default where this script was loaded from. */
  baseUrl?: string;
}

export interface Theme {
  /** Any CSS colour. */
  accentColor?: string;
  accentTextColor?: string;
  background?: string;
  foreground?: string;
  /** Any CSS length, such as `12px`. */
  radius?: string;
  /** Shown in the place of the brand's name; if it cannot be loaded the name is shown. */
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

/** What `window` hears: `window.addEventListener('svc:success', ({ detail }) => …)`. */
export interface WidgetEvents {
  'svc:step': CustomEvent<StepDetail>;
  'svc:success': CustomEvent<SuccessDetail>;
  'svc:close': CustomEvent<CloseDetail>;
}

/** The global `Svc` of the classic script, and what the module exports. */
export interface Widget {
  /** Opens the window. A second call while it is open changes nothing. */
  open(options: OpenOptions): void;
  /** Closes it without asking, for pages that are about to leave. */
  close(): void;
}
