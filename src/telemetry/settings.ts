import { z } from 'zod';

const number = (fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, 'must be a number')
    .transform(Number)
    .default(fallback);

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/**
 * Standard variables that the SDK leaves to its caller. The SDK itself reads those of the exporter (endpoint, headers,
 * certificates, compression, timeout) and of the resource (service name, attributes).
 */
const Settings = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: z.string().optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.literal('http/protobuf', 'must be http/protobuf').optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: z.literal('http/protobuf', 'must be http/protobuf').optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'must be otlp or none').default('otlp'),
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number('must be a number').min(0).max(1).default(1),
  OTEL_BSP_SCHEDULE_DELAY: number(5_000),
  OTEL_BSP_MAX_QUEUE_SIZE: number(2_048),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: number(512),
  OTEL_BSP_EXPORT_TIMEOUT: number(30_000),
});
export type TracingSettings = z.infer<typeof Settings>;

/** A setting that the operator must correct. */
export class TracingSettingError extends Error {
  override name = 'TracingSettingError';
}

/** Returns the settings, or null if traces are off. An empty variable counts as not set. */
export function tracingSettings(env: Readonly<Record<string, string | undefined>>): TracingSettings | null {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  if ((set['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? set['OTEL_EXPORTER_OTLP_ENDPOINT']) === undefined) return null;
  if (set['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || set['OTEL_TRACES_EXPORTER'] === 'none') return null;
  const { data, error } = Settings.safeParse(set);
  if (data !== undefined) return data;
  const [issue] = error.issues;
  throw new TracingSettingError(`${issue?.path.join('.')}: ${issue?.message}. See docs/traces.md.`);
}
