/** Returns the seconds to wait, by Retry-After (RFC 9110 10.2.3) or else by the reset time of the server's window. */
export function retryAfterSeconds(header: (name: string) => string | undefined, nowMs: number): number | undefined {
  const given = header('retry-after') ?? header('ratelimit-reset') ?? header('x-ratelimit-reset');
  if (given === undefined) return undefined;
  const number = /^\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : undefined;
  if (number === undefined) {
    const date = Date.parse(given);
    return Number.isNaN(date) ? undefined : secondsUntil(date, nowMs);
  }
  return number > EPOCH_SECONDS_MIN ? secondsUntil(number * 1000, nowMs) : Math.ceil(number);
}

/** No server asks for a wait of thirty years, so a larger number is a time since 1970. */
const EPOCH_SECONDS_MIN = 1_000_000_000;

const secondsUntil = (dateMs: number, nowMs: number): number => Math.max(0, Math.ceil((dateMs - nowMs) / 1000));
