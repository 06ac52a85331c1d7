import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openApiDocument } from '../../src/api/openapi.ts';
import { tempFolder } from '../support/temp-folder.ts';

/** Checks what readers and code generators need from the document. `npm test` also lints it with spectral. */
const run = promisify(execFile);
type Json = Record<string, unknown>;

/** Calls back for every object in the document, with its path. */
function visit(value: unknown, found: (object: Json, path: string) => void, path = ''): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) found(value as Json, path);
  for (const [key, inner] of Object.entries(value))
    if (!['example', 'examples'].includes(key)) visit(inner, found, `${path}/${key}`);
}

function patterns(): string[] {
  const found = new Set<string>();
  visit(openApiDocument(), ({ pattern }) => typeof pattern === 'string' && found.add(pattern));
  return [...found];
}

describe('regular expressions', () => {
  test('are those of ECMAScript without flags: no lookahead, no lookbehind and no \\p', () => {
    expect(patterns().length).toBeGreaterThan(4);
    expect(patterns().filter((pattern) => /\(\?[=!<]|\\p\{|\\u\{/i.test(pattern))).toEqual([]);
    for (const pattern of patterns()) expect(() => new RegExp(pattern)).not.toThrow();
  });

  /** Texts on which a wrong translation of our expression for labels would differ. */
  const LABELS = ['Acme Shops', 'Bücher 🚀', 'x', ' x', 'x ', 'a\tb', 'a\u0085b', 'a\u007fb', '', '\u00a0x'];

  test('mean the same in Python and in Go', async () => {
    const folder = await tempFolder();
    const given = JSON.stringify({ patterns: patterns(), texts: LABELS });
    await writeFile(join(folder, 'given.json'), given);
    await writeFile(
      join(folder, 'match.py'),
      'import json, re\ng = json.load(open("given.json"))\nprint(json.dumps([[bool(re.search(p, t)) for t in g["texts"]] for p in g["patterns"]]))\n',
    );
    await writeFile(
      join(folder, 'match.go'),
      `package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
)

func main() {
	var given struct{ Patterns, Texts []string }
	text, _ := os.ReadFile("given.json")
	json.Unmarshal(text, &given)
	all := [][]bool{}
	for _, pattern := range given.Patterns {
		row := []bool{}
		for _, text := range given.Texts {
			row = append(row, regexp.MustCompile(pattern).MatchString(text))
		}
		all = append(all, row)
	}
	out, _ := json.Marshal(all)
	fmt.Println(string(out))
}
`,
    );
    const ours = patterns().map((pattern) => LABELS.map((label) => new RegExp(pattern).test(label)));

    const [python, go] = await Promise.all([
      run('python3', ['match.py'], { cwd: folder }),
      run('go', ['run', 'match.go'], { cwd: folder }),
    ]);

    expect(ours.flat()).toContain(true);
    expect(JSON.parse(python.stdout)).toEqual(ours);
    expect(JSON.parse(go.stdout)).toEqual(ours);
  }, 120_000);
});

test('every property and every parameter has a description of its own', () => {
  const document = openApiDocument();
  const bare: string[] = [];
  const describes = (value: unknown): boolean => {
    const { description } = value as { description?: string };
    // The values of an enumeration are listed automatically and explain nothing.
    return description !== undefined && !description.startsWith('One of ');
  };
  visit(document, ({ properties, parameters }, path) => {
    for (const [name, value] of Object.entries((properties ?? {}) as Json))
      if (!describes(value)) bare.push(`${path}: ${name}`);
    for (const value of (parameters ?? []) as { name: string }[])
      if (!describes(value)) bare.push(`${path}: ${value.name}`);
  });

  expect(bare).toEqual([]);
});

test('the answer to a create shows a connection as create returns it', () => {
  type Media = { content: { 'application/json': { example: Json } } };
  const { paths } = openApiDocument() as {
    paths: Record<string, Record<string, { responses: Record<string, Media> }>>;
  };
  const { example } = paths['/v1/connections']!['post']!.responses['201']!.content['application/json'];

  expect(example).toMatchObject({ state: 'pending_ownership', provider: null, setup_type: 'manual', error_code: null });
});
