// Import rules. Files in a folder may import only that folder and the listed folders or files.
const only = (room, ...allowed) => ({
  name: `${room.replaceAll('/', '-')}-knows-only`,
  comment: `${room} may import only itself${allowed.map((name) => `, ${name}`).join('')}.`,
  severity: 'error',
  from: { path: `^${room}/` },
  to: { path: '^(src|workflows|activities|test)/', pathNot: [room, ...allowed].map((name) => `^${name}(/|\\.ts$)`) },
});

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    only('src/domain'),
    only('src/net'),
    only('src/dns', 'src/domain', 'src/net'),
    only('src/providers', 'src/domain', 'src/net'),
    only('src/webhooks', 'src/(domain|net|db|vault)'),
    only('src/vault', 'src/domain'),
    only('src/x509'),
    only('src/acme', 'src/net'),
    only('src/db', 'src/domain', 'src/net/semaphore'),
    only('src/edge', 'src/domain', 'src/db', 'src/net', 'src/locales', 'src/x509'),
    only('src/certificates', 'src/(domain|db|vault|x509)'),
    only('src/billing', 'src/domain', 'src/db'),
    only('src/domain-connect', 'src/domain', 'src/db', 'src/net'),
    only('src/sandbox', 'src/domain', 'src/db'),
    only('src/provisioning', 'src/(domain|db|providers|vault|sandbox)'),
    {
      name: 'providers-know-no-other-provider',
      severity: 'error',
      from: { path: '^src/providers/([^/]+)/' },
      to: { path: '^src/providers/[^/]+/', pathNot: ['^src/providers/$1/', '^src/providers/toolkit/'] },
    },
    {
      name: 'workflows-know-only',
      comment: 'Workflows import domain code, and activities as types only.',
      severity: 'error',
      from: { path: '^workflows/' },
      to: { path: '^(src|activities|test)/', pathNot: '^src/domain/', dependencyTypesNot: ['type-only'] },
    },
    only(
      'activities',
      'src/(domain|dns|provisioning|providers|db|edge|webhooks|vault|domain-connect|sandbox)',
      'workflows/messages',
    ),
    only(
      'src/api',
      'src/(domain|db|dns|provisioning|webhooks|net|billing|vault|certificates|edge|providers|domain-connect|sandbox|temporal|sdk|share|locales|config|log|metrics)',
      'workflows/messages',
    ),
    only('src/temporal', 'src/(domain|db|log|metrics|config|fingerprint)', 'workflows/messages', 'activities'),
    only('src/embedded', 'src/(log|config)'),
    {
      name: 'production-starts-no-servers',
      comment:
        'An image has no checkout around it: what runs there must not reach the code that fetches and starts servers.',
      severity: 'error',
      from: { path: '^src/(main/(api|worker|edge|edge-answerer)|cli/main)\\.ts$' },
      to: { path: '^src/embedded/(caddy|edge-agent|postgres|servers|temporal)\\.ts$', reachable: true },
    },
    only('src/locales', 'src/domain'),
    only('src/widget', 'src/(domain|locales|api/schemas)'),
    only('src/sdk', 'src/(locales|fingerprint)'),
    only('src/demo'),
    only('src/share', 'src/domain', 'src/locales'),
    {
      name: 'nobody-imports-main-or-cli',
      severity: 'error',
      from: { path: '^(src|workflows|activities)/', pathNot: '^src/(main|cli)/' },
      to: { path: '^src/(main|cli)/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules)' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'types', 'default'],
    },
  },
};
