/** Words that readers of this project stumbled over, and the words of the field that replace them. */
export const WORDS = [
  { banned: /\blook(s|ed|ing)?\b(?! up\b)/i, write: 'check (noun and verb), or "look up" for a query' },
  { banned: /\b(tell|tells|told|telling)\b/i, write: 'return, show, report, print or notify' },
  { banned: /\b(say|says|said|saying)\b/i, write: 'return, show, report, print, or name the field' },
  { banned: /\b(stand|stands|standing|stood)\b/i, write: 'exist, is published, is present, applies' },
  { banned: /\b(noted?|noting) (down|it|that|this|the|what|when|which|how)\b/i, write: 'record or save' },
  { banned: /\b(go|goes|went|going|gone) on\b/i, write: 'continue or resume' },
  { banned: /\bat once\b/i, write: 'immediately, or at the same time' },
  { banned: /\bbeside\b/i, write: 'next to, in addition to or alongside' },
  { banned: /\bmend(s|ed|ing)?\b/i, write: 'fix' },
  { banned: /\b(whoever|whatever|whichever)\b/i, write: 'the caller, any, every' },
  { banned: /\b(somebody|someone|nobody|anybody)\b/i, write: 'the caller, another tenant, no process' },
  { banned: /\b(forget|forgets|forgot|forgotten|forgetting)\b/i, write: 'delete or expire' },
  { banned: /\b(is|are|was|were|be) held to\b|\bholds? (it|them) to\b/i, write: 'is checked against' },
  { banned: /\b(lead|leads|led|leading) (back|to|here|there|elsewhere|nowhere)\b/i, write: 'redirect to or point to' },
  { banned: /\bby hand\b/i, write: 'manually' },
  { banned: /(?<!certificate |naming |numbers )\bauthorit(y|ies)\b(?! server)/i, write: 'certificate authority (CA)' },
  { banned: /\b(withheld|withholds?|withholding)\b/i, write: 'suspended or blocked' },
  { banned: /\bin the world\b/i, write: 'real hostnames, the public DNS' },
  { banned: /\bthat which\b/i, write: 'two short sentences' },
];

/** Words with which no doc comment begins: a comment begins with the thing itself. */
export const OPENERS = /^(What|The same|Those|Whoever|Of|Which|Such|One that|One who|None of)\b/;

/** Names of activities in recorded histories, and a field of the command line's JSON. */
export const KEPT_NAMES = new Set(['lookForChallenge', 'lookForRecords', 'withheld']);

/** Parts of names in code that gave way to the field's words. */
export const NAMES = [
  { banned: /(?:^l|L)ook(?!(?:s|ed|ing)?(?:up|Up))/, write: 'check' },
  { banned: /[aA]tOnce|[hH]ereFirst|tryHere/, write: 'local (of activities), concurrency' },
  { banned: /^Wish|Wish$|^wish/, write: 'ConnectRequest' },
  { banned: /[tT]old(?![a-z])/, write: 'ReportedStatus, reported' },
  { banned: /^(Gate|InFlight|Turns)$/, write: 'Semaphore' },
  { banned: /^(keptWay|plainWay|Way)$/, write: 'Upstream' },
  { banned: /[bB]eside|(?<!com)[mM]ended|[fF]orget|[wW]ithheld|ByHand|byHand/, write: 'the word in the list of words' },
];
