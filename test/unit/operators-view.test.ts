import { statusLine } from '../../src/domain/connection/outlook.ts';
import { uiLinks } from '../../src/temporal/ui-links.ts';

const NOW = new Date('2026-11-16T06:00:00Z');

describe('links into the Temporal UI', () => {
  const links = uiLinks('http://localhost:8233/', { namespace: 'shops', now: NOW, tenant: 't-1' });
  const queryOf = (title: string) =>
    new URL(links.find((link) => link.title === title)!.url).searchParams.get('query')!;

  test('contain no sign at which a terminal ends a link', () => {
    for (const { url } of links) expect(url).toMatch(/^[\w:/.?=%-]+$/);
  });

  test('open the workflow list of the namespace', () => {
    for (const { url } of links) expect(url).toMatch(/^http:\/\/localhost:8233\/namespaces\/shops\/workflows\?query=/);
  });

  test('query connections stuck for an hour, provider errors, missing certificates and one tenant', () => {
    expect(queryOf('Stuck for an hour')).toContain('StateSince < "2026-11-16T05:00:00.000Z"');
    expect(queryOf('A provider fails')).toContain('ErrorCode IN ("dns_write_failed"');
    expect(queryOf('No certificate')).toContain('"caa_blocked"');
    expect(queryOf('One tenant')).toBe('ExecutionStatus = "Running" AND TenantId = "t-1"');
  });
});

describe('the status line of a connection that waits', () => {
  const missing = {
    code: 'missing',
    severity: 'error',
    message: 'It is missing.',
    fix: 'Add the TXT record.',
  } as const;
  const waiting = { phase_started_at: NOW, unasked_ms: 0, findings: [missing] };

  test('shows what was seen, how to fix it and when the connection fails', () => {
    expect(statusLine('No TXT.', { ...waiting, state: 'pending_ownership' })).toBe(
      'No TXT. To fix it: Add the TXT record. Fails at 2026-11-30T06:00Z unless that happens.',
    );
  });

  test('excludes time in which no server could be asked', () => {
    const line = statusLine('No TXT.', { ...waiting, unasked_ms: 86_400_000, state: 'pending_ownership' });
    expect(line).toContain('Fails at 2026-12-01T06:00Z');
  });

  test('shows no deadline where there is none', () => {
    expect(statusLine('All is well.', { ...waiting, findings: [], state: 'live' })).toBe('All is well.');
  });
});
