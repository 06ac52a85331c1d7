/** The parts of XML that two providers use. No DTD is read, so an answer cannot define entities without limit. */
export interface XmlElement {
  name: string;
  attributes: ReadonlyMap<string, string>;
  children: readonly XmlElement[];
  /** The element's own text, without the text of its children. */
  text: string;
}

const TOKEN =
  /<\?[^>]*\?>|<!--[\s\S]*?-->|<!\[CDATA\[([\s\S]*?)\]\]>|<\/([^\s>]+)\s*>|<([^\s/>!]+)((?:\s+[^\s=>]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|([^<]+)/gy;

/** Returns the root element, or undefined if the text is not well-formed XML. */
export function parseXml(source: string): XmlElement | undefined {
  const root = open('', '');
  const stack = [root];
  let end = 0;
  for (const token of source.matchAll(TOKEN)) {
    const [whole, cdata, closing, opening, attributes = '', empty, text] = token;
    const top = stack.at(-1);
    if (!top) return undefined;
    if (closing !== undefined) {
      if (stack.length === 1 || top.name !== closing) return undefined;
      stack.pop();
    } else if (opening !== undefined) {
      const element = open(opening, attributes);
      top.children.push(element);
      if (empty !== '/') stack.push(element);
    } else {
      top.text += cdata ?? unescape(text ?? '');
    }
    end = token.index + whole.length;
  }
  const wellFormed =
    end === source.length && stack.length === 1 && root.children.length === 1 && root.text.trim() === '';
  return wellFormed ? root.children[0] : undefined;
}

export const childrenOf = (element: XmlElement | undefined, ...path: string[]): XmlElement[] =>
  path.reduce<XmlElement[]>(
    (found, name) => found.flatMap((parent) => parent.children.filter((child) => child.name === name)),
    element ? [element] : [],
  );

export const textOf = (element: XmlElement | undefined, ...path: string[]): string | undefined =>
  childrenOf(element, ...path)[0]?.text;

export const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function open(name: string, attributes: string) {
  const pairs = [...attributes.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)].map(
    ([, key = '', double, single]) => [key, unescape(double ?? single ?? '')] as const,
  );
  const children: XmlElement[] = [];
  return { name, attributes: new Map(pairs), children, text: '' };
}

const NAMED: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescape = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
