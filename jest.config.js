// jest runs the ES modules as CommonJS: ADR "Run TypeScript without a build step". The listed packages ship no
// CommonJS build, or one that imports modules dynamically.
const ESM_ONLY = [
  '@opentelemetry/otlp-exporter-base',
  'jose',
  'node-pg-migrate',
  'oauth4webapi',
  'openid-client',
  'slonik',
  '@slonik/[a-z-]+',
  'pkijs',
  'asn1js',
  '@peculiar/utils',
  'bytestreamjs',
  '@noble/hashes',
  'p-queue',
  'p-timeout',
  'serialize-error',
  'non-error',
  'svix',
  'uuidv7',
];

export default {
  testEnvironment: '<rootDir>/test/runner/environment.ts',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: {
    '^.+\\.(ts|[cm]?js)$': [
      '@swc/jest',
      {
        jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  transformIgnorePatterns: [`/node_modules/(?!(.*/)?(${ESM_ONLY.join('|')})/)`],
  globalSetup: '<rootDir>/test/runner/global-setup.ts',
  globalTeardown: '<rootDir>/test/runner/global-teardown.ts',
  testSequencer: '<rootDir>/test/runner/sequencer.ts',
  setupFiles: ['<rootDir>/test/runner/listeners.ts'],
  // Long, for machines that do much else; a test that hangs still ends.
  testTimeout: 180_000,
  // Twice the processors that a small machine has: much of a test is waiting for servers.
  maxWorkers: 4,
};
