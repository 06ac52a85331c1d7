import { pino, type Logger } from 'pino';
import { isTracing, traceFields } from './telemetry/tracing.ts';

export type { Logger };

/** Keys whose values are redacted, in logged objects and in objects nested up to three levels deep. */
const SECRETS = [
  'authorization',
  'cookie',
  'secret',
  'signing_secret',
  'auth_token',
  'token',
  'password',
  'credentials',
  'connectionString',
];

export function createLog(options: { level: string; format?: 'pretty' | 'json' | undefined; name: string }): Logger {
  const pretty = (options.format ?? (process.stdout.isTTY ? 'pretty' : 'json')) === 'pretty';
  return pino({
    name: options.name,
    level: options.level,
    base: { name: options.name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: { paths: SECRETS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`, `*.*.*.${key}`]), censor: '[redacted]' },
    serializers: { err: withoutConnectionStrings },
    ...(isTracing() ? { mixin: traceFields } : {}),
    ...(pretty ? { transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', singleLine: true } } } : {}),
  });
}

/** Removes passwords from URLs. Database drivers quote the URL that they failed to reach, including its password. */
function withoutConnectionStrings(error: Error): object {
  const serialized = pino.stdSerializers.err(error);
  const clean = (text: string) => text.replace(/([a-z]+:\/\/[^:/@\s]+):[^@\s]+@/g, '$1:[redacted]@');
  return {
    type: serialized.type,
    message: clean(serialized.message),
    stack: clean(serialized.stack),
    code: serialized['code'] as unknown,
  };
}
