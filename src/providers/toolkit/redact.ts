const MESSAGE_MAX = 300;

/** Prepares text from outside for an error or a log line: short, and without secrets in any spelling we send. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const spellings = secrets
    .filter((secret) => secret !== '')
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('base64'),
    ])
    // Longest first: replacing a part of a longer spelling would leave the rest of it readable.
    .sort((a, b) => b.length - a.length);
  return (text) => {
    const clean = spellings.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text);
    const line = clean.replace(/[\p{Cc}\s]+/gu, ' ').trim();
    return line.length > MESSAGE_MAX ? `${line.slice(0, MESSAGE_MAX)}…` : line;
  };
}
