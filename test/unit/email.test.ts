import fc from 'fast-check';
import { mailChanges, senderPolicy, type MailSituation } from '../../src/domain/email/email-plan.ts';
import { mailNotes } from '../../src/domain/email/mail-notes.ts';
import { dkimProblem, writableRecords, type MailRequest } from '../../src/domain/email/email-records.ts';
import { isDmarc, parseDmarc } from '../../src/domain/email/dmarc.ts';
import { MAILBOX_PROVIDERS, mailboxProvider } from '../../src/domain/email/mailbox-providers.ts';
import { allowsSender, isSpf, mergeSpf, parseSpf, spfFault } from '../../src/domain/email/spf.ts';
import { allLookups, ownLookups } from '../../src/domain/email/spf-lookups.ts';
import { corpusLookup, evaluate, SPF_CORPUS } from './spf-corpus.ts';

const INCLUDE = '_spf.google.com';
/** An address that the corpus' policy for that include allows. */
const GOOGLE_SERVER = '203.0.113.1';
const OTHER_SENDER = '100.64.0.1';

/** Returns each mechanism and modifier as often as it occurs. Case and order are the owner's choice. */
const bag = (record: string): string[] => parseSpf(record).map(({ text }) => text).sort(); // prettier-ignore

describe('merging a sender policy', () => {
  it('has a corpus of at least 200 policies', () => {
    expect(SPF_CORPUS.length).toBeGreaterThanOrEqual(200);
    expect(SPF_CORPUS.filter((record) => !isSpf(record))).toEqual([]);
  });

  it('keeps every term, adds at most one, and changes nothing the second time', () => {
    for (const record of SPF_CORPUS) check(record);
  });

  function check(record: string): void {
    const merged = mergeSpf([record], INCLUDE);
    const before = bag(record);
    const after = bag(merged);
    for (const term of new Set(before))
      expect(after.filter((one) => one === term).length).toBeGreaterThanOrEqual(
        before.filter((one) => one === term).length,
      );
    expect(after.length - before.length).toBeLessThanOrEqual(1);
    expect(merged.match(/v=spf1/gi)).toHaveLength(1);
    expect(mergeSpf([merged], INCLUDE)).toBe(merged);
    expect(allowsSender(merged, INCLUDE)).toBe(true);
    const ends = (text: string) => parseSpf(text).filter(({ name }) => name === 'all' || name === 'redirect').map(({ text: term }) => term); // prettier-ignore
    expect(ends(merged)).toEqual(ends(record));
  }

  it('agrees with an independent evaluator: the provider passes, and the result for every other sender stays the same', async () => {
    const refusedBefore = new Set<string>();
    for (const record of SPF_CORPUS) {
      const merged = mergeSpf([record], INCLUDE);
      const before = await evaluate(record, OTHER_SENDER);
      const after = await evaluate(merged, OTHER_SENDER);
      expect({ record, result: after.result }).toEqual({ record, result: before.result });
      if (before.result === 'permerror') refusedBefore.add(record);
      else
        expect({ record, result: (await evaluate(merged, GOOGLE_SERVER)).result }).toEqual({ record, result: 'pass' });
      const own = parseSpf(record).find(({ name, value }) => name === 'ip4' && !value.includes('/'))?.value;
      if (own !== undefined) expect((await evaluate(merged, own)).result).toBe((await evaluate(record, own)).result);
    }
    // A loop, and an include that depends on the message.
    expect([...refusedBefore].length).toBeLessThanOrEqual(3);
  });

  it('counts the same lookups as an independent evaluator', async () => {
    let compared = 0;
    for (const record of SPF_CORPUS) {
      const { count, unread } = await allLookups(record, 'example.com', corpusLookup);
      const isEndless = !parseSpf(record).some(({ name }) => name === 'all' || name === 'redirect');
      const { result, lookups } = await evaluate(isEndless ? `${record} ?all` : record, OTHER_SENDER);
      if (unread.length > 0 || result === 'permerror' || result === 'pass') continue;
      expect({ record, count }).toEqual({ record, count: lookups });
      compared++;
    }
    expect(compared).toBeGreaterThanOrEqual(190);
  });

  it('ends when policies include each other, and names the policies that cannot be read', async () => {
    expect((await allLookups('v=spf1 include:loop-a.example.net -all', 'example.com', corpusLookup)).count).toBeGreaterThan(10); // prettier-ignore
    expect(
      await allLookups('v=spf1 include:%{i}.x.example include:gone.example a -all', 'example.com', corpusLookup),
    ).toEqual({
      count: 3,
      unread: ['%{i}.x.example', 'gone.example'],
    });
  });

  it('joins several records into one in any order, and keeps what a redirect allowed', () => {
    const records = [
      'v=spf1 ip4:192.0.2.1 -all',
      'v=spf1 mx redirect=_spf.example.net',
      'v=spf1 mx include:a.example ~all',
    ];
    const merged = mergeSpf(records, INCLUDE);
    expect(mergeSpf(records.toReversed(), INCLUDE)).toBe(merged);
    for (const term of ['ip4:192.0.2.1', 'mx', 'include:a.example', 'include:_spf.example.net', `include:${INCLUDE}`])
      expect(bag(merged).filter((one) => one === term)).toEqual([term]);
    expect(merged.match(/[-~]all/g)).toHaveLength(1);
  });

  it('merges any text that begins like a policy without an exception', () => {
    const term = fc.oneof(fc.constantFrom('a', 'mx', '-all', '~all', 'redirect=x.example', 'exp=%{d}', 'ptr', 'include:', ':', '=', '/24'), fc.string({ unit: 'grapheme-ascii' })); // prettier-ignore
    fc.assert(
      fc.property(
        fc.array(
          fc.array(term).map((terms) => ['v=spf1', ...terms].join(' ')),
          { maxLength: 3 },
        ),
        (records) => {
          const merged = mergeSpf(records, INCLUDE);
          expect(mergeSpf([merged], INCLUDE)).toBe(merged);
          expect(allowsSender(merged, INCLUDE)).toBe(true);
          expect(ownLookups(merged)).toBeGreaterThanOrEqual(1);
        },
      ),
    );
  });

  it.each([
    ['v=spf1 incldue:x.example -all', /incldue/],
    ['v=spf1 include: -all', /names nothing/],
    ['v=spf1 redirect=a.example redirect=b.example', /more than one redirect/],
    ['v=spf1 mx -all', null],
  ])('explains why receivers reject %s', (record, reason) => {
    if (reason === null) expect(spfFault(record)).toBeNull();
    else expect(spfFault(record)).toMatch(reason);
  });
});

describe('DMARC', () => {
  it('reads tags with any spacing, and ignores policies that receivers do not know', () => {
    expect(parseDmarc('v=DMARC1;p=reject ; RUA=mailto:a@b.example')).toMatchObject({ policy: 'reject' });
    expect(parseDmarc('v=DMARC1; p=rejekt').policy).toBeNull();
    expect(parseDmarc('v=DMARC1; rua=mailto:a@b.example?x=1').tags.get('rua')).toBe('mailto:a@b.example?x=1');
    expect([isDmarc('v=DMARC1'), isDmarc('v=DMARC12; p=none'), isDmarc('v=spf1 -all')]).toEqual([true, false, false]);
  });
});

const mailRequest = (provider: string, more: Partial<MailRequest> = {}): MailRequest => ({
  provider: mailboxProvider(provider)!,
  domain: 'example.com',
  dkim: [],
  ...more,
});
const at = (host: string, type: 'MX' | 'TXT' | 'CNAME' | 'A', value: string, priority: number | null = null) => ({ host, type, value, priority }); // prettier-ignore
const seen = (...current: MailSituation['current']): MailSituation => ({ current, unknown: [] });

describe('mailbox providers', () => {
  it('are found by their ids and aliases, and the widget offers three', () => {
    expect(['google', 'M365', 'office365', 'microsoft', 'zoho_mail'].map((name) => mailboxProvider(name)?.id)).toEqual(
      ['google_workspace', 'microsoft_365', 'microsoft_365', 'microsoft_365', 'zoho'], // prettier-ignore
    );
    expect(MAILBOX_PROVIDERS.filter(({ inWidget }) => inWidget).map(({ id }) => id)).toEqual(
      ['google_workspace', 'microsoft_365', 'zoho'], // prettier-ignore
    );
    const names = MAILBOX_PROVIDERS.flatMap(({ id, aliases }) => [id, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
  });

  it('require the records that their documentation shows', () => {
    const shown = (provider: string, more: Partial<MailRequest> = {}) =>
      writableRecords(mailRequest(provider, more)).map(({ host, type, value, priority }) => `${host} ${type} ${String(priority ?? '')} ${value}`.replace('  ', ' ')); // prettier-ignore
    const dmarc = '_dmarc.example.com TXT v=DMARC1; p=none; rua=mailto:dmarc@example.com';
    expect(shown('google_workspace')).toEqual(['example.com MX 1 smtp.google.com', dmarc]);
    expect(shown('microsoft_365', { dkim: ['selector1.a.example', 'selector2.a.example'] })).toEqual([
      'example.com MX 0 example-com.mail.protection.outlook.com',
      'autodiscover.example.com CNAME autodiscover.outlook.com',
      'selector1._domainkey.example.com CNAME selector1.a.example',
      'selector2._domainkey.example.com CNAME selector2.a.example',
      dmarc,
    ]);
    expect(shown('zoho')).toEqual([
      'example.com MX 10 mx.zoho.com',
      'example.com MX 20 mx2.zoho.com',
      'example.com MX 50 mx3.zoho.com',
      dmarc,
    ]);
  });

  it('reject malformed DKIM values', () => {
    expect(dkimProblem(mailRequest('microsoft_365', { dkim: ['only.one.example'] }))).toMatch(/selector1, selector2/);
    expect(dkimProblem(mailRequest('microsoft_365', { dkim: ['bad name', 'b.example'] }))).toMatch(/not a host name/);
    expect(dkimProblem(mailRequest('google', { dkim: ['v=DKIM1; k=rsa; p=MIGf'] }))).toBeNull();
    expect(dkimProblem(mailRequest('google', { dkim: ['v=spf1 -all'] }))).toMatch(/must read like/);
    expect(dkimProblem(mailRequest('fastmail', { dkim: ['x.example'] }))).toMatch(/needs no DKIM/);
  });
});

const sentences = (...of: Parameters<typeof mailNotes>) => mailNotes(...of).map(({ message }) => message);

describe('notes for customers', () => {
  it('name other mail servers, the record to replace, and a strict DMARC policy', () => {
    const situation = seen(
      at('example.com', 'MX', 'mx.old-host.example', 10),
      at('example.com', 'TXT', 'v=spf1 include:sendgrid.net -all'),
      at('_dmarc.example.com', 'TXT', 'v=DMARC1; p=reject'),
    );
    const notes = sentences(mailRequest('google'), situation, null).join('\n');
    expect(notes).toMatch(/goes to mx\.old-host\.example today, and stays there/);
    expect(notes).toMatch(/already has an SPF record. Replace its value/);
    expect(notes).toMatch(/asks receivers to refuse mail/);
    expect(senderPolicy(mailRequest('google'), situation).record.value).toBe('v=spf1 include:sendgrid.net include:_spf.google.com -all'); // prettier-ignore
  });

  it('report a merged policy that costs too many lookups, and report when nothing is left to do', () => {
    expect(sentences(mailRequest('google'), seen(), { count: 11, unread: [] }).join()).toMatch(
      /11 DNS lookups, and they stop after 10/,
    );
    const done = seen(
      at('example.com', 'MX', 'smtp.google.com', 1),
      at('example.com', 'TXT', 'v=spf1 include:_spf.google.com ~all'),
      at('_dmarc.example.com', 'TXT', 'v=DMARC1; p=none; rua=mailto:dmarc@example.com'),
    );
    expect(mailChanges(mailRequest('google'), done)).toEqual([]);
    expect(mailNotes(mailRequest('google'), done, { count: 4, unread: [] })).toHaveLength(1); // the DKIM key
  });
});
