/** A piece of a line of a guide. */
export interface Span {
  kind: 'text' | 'strong' | 'code' | 'link';
  text: string;
}

/** A block of a guide. */
export type Block =
  { kind: 'heading' | 'paragraph'; spans: Span[] } | { kind: 'list'; items: Span[][] } | { kind: 'code'; text: string };

/** Parses the Markdown of the guides: headings, numbered lists, indented code, paragraphs, bold, code and links. */
export const parseGuide = (markdown: string): Block[] =>
  markdown
    .split(/\n{2,}/)
    .filter((block) => block.trim() !== '')
    .map(blockOf);

const ITEM = /^\d+\. /;
const INDENT = /^ {4}/;

function blockOf(block: string): Block {
  const lines = block.split('\n').filter((line) => line !== '');
  const [first = ''] = lines;
  if (first.startsWith('# ')) return { kind: 'heading', spans: spansOf(first.slice(2)) };
  if (lines.every((line) => INDENT.test(line)))
    return { kind: 'code', text: lines.map((line) => line.replace(INDENT, '')).join('\n') };
  if (lines.every((line) => ITEM.test(line)))
    return { kind: 'list', items: lines.map((line) => spansOf(line.replace(ITEM, ''))) };
  return { kind: 'paragraph', spans: spansOf(lines.join(' ')) };
}

/** Code comes first, because nothing inside it is markup. */
const MARKUP = /`([^`]*)`|\*\*(.+?)\*\*|<(https:\/\/[^\s<>]+)>/g;

function spansOf(line: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  const add = (kind: Span['kind'], text: string | undefined) => {
    if (text) spans.push({ kind, text });
  };
  for (const match of line.matchAll(MARKUP)) {
    const [whole, code, strong, link] = match;
    add('text', line.slice(end, match.index));
    add('code', code);
    add('strong', strong);
    add('link', link);
    end = match.index + whole.length;
  }
  add('text', line.slice(end));
  return spans;
}
