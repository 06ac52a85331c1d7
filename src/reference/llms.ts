/** A page of the documentation: its path from the root of the repository, its heading, and a line about it. */
export interface DocumentPage {
  path: string;
  title: string;
  text: string;
}

export interface Section {
  title: string;
  pages: readonly DocumentPage[];
}

/** Pages outside docs/ to which the pages inside link. */
export const OUTSIDE_DOCS = [
  'README.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'client/README.md',
  'clients/python/README.md',
  'clients/go/README.md',
  'bench/README.md',
];

/** Returns the sections of docs/README.md, which has a line about each page. Links to other files are left out. */
export function sectionsOf(readme: string, titleOf: (path: string) => string | undefined): Section[] {
  return readme
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ''] = section.split('\n', 1);
      const lines = [...section.matchAll(/^- \[[^\]]+\]\(([^)]+\.md)\): (.+)$/gm)];
      const pages = lines.flatMap(([, link = '', text = '']) => {
        const path = new URL(link, 'http://service/docs/').pathname.slice(1);
        const heading = titleOf(path);
        return heading === undefined ? [] : [{ path, title: heading, text }];
      });
      return { title, pages };
    });
}

/** Returns the text of /llms.txt (https://llmstxt.org): every page of the documentation with a line about it. */
export function llmsText(baseUrl: string, sections: readonly Section[]): string {
  const line = (title: string, path: string, text: string) =>
    `- [${title}](${baseUrl}/${path})${text === '' ? '' : `: ${text}`}`;
  return [
    '# Domain Connection Service',
    '',
    '> Your customers connect their own domains to your product. The service detects their DNS provider, proves ownership, writes or shows the DNS records, serves the domain over TLS, and monitors it.',
    '',
    line('API reference', 'docs', 'every request, with samples in curl, TypeScript, Python and Go.'),
    line('OpenAPI document', 'openapi.json', 'the same for programs.'),
    line('Model Context Protocol', 'mcp', 'the service as tools of an agent.'),
    ...sections.flatMap(({ title, pages }) => [
      '',
      `## ${title}`,
      '',
      ...pages.map(({ path, title: heading, text }) => line(heading, path, text)),
    ]),
    '',
  ].join('\n');
}

/** Returns the heading of a Markdown page. */
export const headingOf = (markdown: string): string | undefined => /^# (.+)$/m.exec(markdown)?.[1];

/** Returns a page that lists the files of a folder, because documents link to folders. */
export const folderPage = (folder: string, files: readonly string[]): string =>
  `# ${folder}\n\n${files.map((path) => `- [${path.slice(folder.length + 1)}](/${path})`).join('\n')}\n`;
