import { builtinModules } from 'node:module';
import tseslint from 'typescript-eslint';

const NODE_BUILTINS = builtinModules.flatMap((name) => [name, `node:${name}`]);

/** Bans node builtins and every package but the named ones: what runs inside the workflow sandbox must be deterministic. */
const onlyPackages = (...allowed) => ({
  'no-restricted-imports': [
    'error',
    {
      paths: NODE_BUILTINS.map((name) => ({ name, message: 'This room is pure: no node builtins.' })),
      patterns: [
        {
          regex: `^(?!\\.{1,2}/)(?!${allowed.map((name) => name.replace('/', '\\/')).join('$|') || '\\b\\B'}$).+`,
          message: 'This room is pure: no packages.',
        },
      ],
    },
  ],
  'no-restricted-globals': ['error', 'process', 'Buffer', 'setTimeout', 'setInterval', 'fetch'],
});

const STATE =
  '/^(created|pending_ownership|verifying|verified|dns_writing|propagating|stalled|issuing_cert|live|drifted|failed|archived)$/';
const SETS = 'Name a set of src/domain/connection/state-sets.ts instead of listing states.';

/** Forbids lists of connection states outside state-sets.ts, so that a new state is placed once. */
const noStateLists = [
  { selector: `ArrayExpression:has(> Literal[value=${STATE}] ~ Literal[value=${STATE}])`, message: SETS },
  {
    selector: `LogicalExpression[left.left.property.name='state'][left.right.value=${STATE}][right.right.value=${STATE}]`,
    message: SETS,
  },
  {
    selector: `LogicalExpression[left.left.name='state'][left.right.value=${STATE}][right.right.value=${STATE}]`,
    message: SETS,
  },
  { selector: `SwitchCase[consequent.length=0][test.value=${STATE}]`, message: SETS },
  { selector: "TemplateElement[value.raw=/state\\s+(NOT\\s+)?IN\\s*\\(\\s*'/]", message: SETS },
];

export default tseslint.config(
  { ignores: ['dist', 'client/dist', 'node_modules', 'coverage', 'client/schema.d.ts'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['src/**/*.{ts,tsx}', 'workflows/**/*.ts', 'activities/**/*.ts'],
    ignores: ['src/domain/connection/{connection,state-sets}.ts', 'src/widget/**'],
    rules: { 'no-restricted-syntax': ['error', ...noStateLists] },
  },
  { files: ['src/domain/**/*.ts'], rules: onlyPackages() },
  { files: ['workflows/**/*.ts'], rules: onlyPackages('@temporalio/workflow', '@temporalio/common') },
  {
    // Libraries on some tenants' pages replace these methods: ADR "Render the widget inside the tenant's page".
    files: ['src/widget/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            'CallExpression > MemberExpression[property.name=/^(includes|find|findLast|flat|flatMap|at|replaceAll|matchAll|padStart|closest|matches|remove|append|finally)$/]',
          message: 'The page may have replaced this method; use one that the view library itself relies on.',
        },
      ],
    },
  },
  { files: ['*.js', '**/*.cjs', '**/*.mjs'], ...tseslint.configs.disableTypeChecked },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  { files: ['test/**/*.ts', 'bench/**/*.ts'], rules: { '@typescript-eslint/no-non-null-assertion': 'off' } },
);
