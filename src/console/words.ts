/** Returns a code of the API in words: `record_missing` is "Record missing". */
export function codeInWords(code: string): string {
  const text = code
    .replaceAll('_', ' ')
    .replaceAll(/\b(caa|cname|aaaa|dns|dnssec|ns|ca|txt)\b/g, (word) => word.toUpperCase());
  return text.charAt(0).toUpperCase() + text.slice(1);
}
