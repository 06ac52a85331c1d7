import { KEPT_NAMES, NAMES, OPENERS, WORDS } from './words.js';

/** Text without code spans, quotations and addresses, in which any word may occur. */
const prose = (text) =>
  text
    .replace(/`[^`]*`/g, ' ')
    .replace(/"[^"\n]*"|“[^”]*”/g, ' ')
    .replace(/\bhttps?:\/\/\S+/g, ' ');

const docText = (comment) =>
  comment.value
    .replace(/^\*/, '')
    .replace(/^\s*\* ?/gm, '')
    .trim();

/** A text for people has words between spaces; anything else is a key, a path or a query. */
const isSentence = (text) =>
  /[a-z]{2,} [a-z]{2,} [a-z]{2,}/.test(text) && !/\b(SELECT|INSERT|UPDATE|DELETE|WHERE|FROM)\b/.test(text);

/** Holds comments, messages, names and documents to the list of words. */
const plainEnglish = {
  meta: { type: 'suggestion', schema: [] },
  create(context) {
    const checkWords = (text, at) => {
      const found = prose(text);
      for (const { banned, write } of WORDS) {
        const match = banned.exec(found);
        if (match) context.report({ ...at, message: `"${match[0]}": write ${write}.` });
      }
    };
    const checkName = (node) => {
      if (KEPT_NAMES.has(node.name)) return;
      for (const { banned, write } of NAMES)
        if (banned.test(node.name)) context.report({ node, message: `The name ${node.name}: write ${write}.` });
    };
    const { sourceCode } = context;
    if (sourceCode.getAllComments === undefined)
      return { text: (node) => checkWords(node.value, { loc: node.position ?? node.loc }) };
    return {
      Program() {
        for (const comment of sourceCode.getAllComments()) {
          const text = docText(comment);
          if (comment.type === 'Block' && comment.value.startsWith('*') && OPENERS.test(text))
            context.report({
              loc: comment.loc,
              message: `A doc comment begins with the thing itself, not with "${OPENERS.exec(text)[0]}".`,
            });
          checkWords(text, { loc: comment.loc });
        }
      },
      Identifier: checkName,
      Literal(node) {
        if (typeof node.value === 'string' && isSentence(node.value)) checkWords(node.value, { node });
      },
      TemplateLiteral(node) {
        const text = node.quasis.map(({ value }) => value.cooked ?? '').join('x');
        if (isSentence(text)) checkWords(text, { node });
      },
      JSXText(node) {
        checkWords(node.value, { node });
      },
    };
  },
};

export default { rules: { 'plain-english': plainEnglish } };
