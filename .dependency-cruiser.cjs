/** The walls of ARCHITECTURE.md: which file may import which. `server/walls.test.ts` breaks each once. */

/** Lowest first. A module imports only modules of lower lines, never one of its own line. */
const layers = [
  ['site', 'ledger', 'accounts', 'audit'],
  ['fleet', 'currency', 'factors'],
  ['sessions', 'client-files'],
  ['invoices', 'staff'],
  ['subscriptions', 'payments', 'alerts'],
  ['gift-cards', 'metering', 'pricing', 'settlements', 'reach'],
  ['billing', 'wallet'],
  ['configs', 'plan-sales'],
  ['dns-filtering', 'movement'],
  ['provisioning', 'dashboard', 'notifications', 'reports', 'books'],
  ['profile'],
  ['bulk'],
  ['console'],
];

const MODULES = '^server/src/modules/';
const TESTS = '\\.test\\.tsx?$|/test/|^tidy\\.test\\.ts$';

/** Packages that a workspace declares, as a pattern of resolved paths. */
function declared(workspace) {
  const names = Object.keys(require(`./${workspace}/package.json`).dependencies ?? {});
  return `node_modules/(${names.map((name) => name.replace(/[/.]/g, '\\$&')).join('|')})/`;
}

function upwards() {
  return layers.flatMap((line, level) => {
    return line.flatMap((name) => {
      const forbidden = layers
        .slice(level)
        .flat()
        .filter((other) => other !== name);
      if (forbidden.length === 0) return [];
      return {
        name: `${name}-imports-only-lower-modules`,
        severity: 'error',
        from: { path: `${MODULES}${name}/` },
        to: { path: `${MODULES}(${forbidden.join('|')})/` },
      };
    });
  });
}

const known = layers.flat().join('|');

module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^virtual:' } },

    // Packages: another machine or another trust.
    {
      name: 'contract-knows-only-zod',
      severity: 'error',
      from: { path: '^contract/src/', pathNot: TESTS },
      to: { pathNot: `^contract/src/|${declared('contract')}` },
    },
    {
      name: 'web-knows-only-the-contract',
      severity: 'error',
      from: { path: '^web/src/', pathNot: TESTS },
      to: { pathNot: `^web/|^contract/src/|^virtual:|${declared('web')}` },
    },
    {
      name: 'web-never-speaks-as-a-node',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^contract/src/node/' },
    },
    {
      name: 'node-agent-knows-only-what-a-node-may-hear-or-say',
      severity: 'error',
      from: { path: '^node-agent/src/', pathNot: TESTS },
      to: {
        path: '^(contract/src|server|web|e2e|bench)/',
        pathNot: '^contract/src/(node/|(shapes|limits|locale|protocols|version|errors|endpoint|client)\\.ts$)',
      },
    },
    {
      name: 'node-agent-declares-its-packages',
      severity: 'error',
      from: { path: '^node-agent/src/', pathNot: TESTS },
      to: { path: 'node_modules/', pathNot: declared('node-agent') },
    },
    {
      name: 'server-stands-alone',
      severity: 'error',
      from: { path: '^server/src/', pathNot: TESTS },
      to: { path: '^(web|node-agent|e2e|bench|scripts)/' },
    },
    {
      name: 'server-declares-its-packages',
      severity: 'error',
      from: { path: '^server/src/', pathNot: TESTS },
      to: { path: 'node_modules/', pathNot: `${declared('server')}|node_modules/@types/` },
    },

    // Layers of the server: app → modules → platform, with the adapters beside.
    {
      name: 'platform-knows-no-business',
      severity: 'error',
      from: { path: '^server/src/platform/', pathNot: TESTS },
      to: { path: '^server/src/(?!platform/)' },
    },
    {
      name: 'modules-never-import-app-or-adapters',
      severity: 'error',
      from: { path: MODULES, pathNot: TESTS },
      to: { path: '^server/src/(?!platform/|modules/)' },
    },
    {
      name: 'adapters-never-import-app',
      severity: 'error',
      from: { path: '^server/src/adapters/', pathNot: TESTS },
      to: { path: '^server/src/(?!platform/|modules/|adapters/)' },
    },
    ...upwards(),
    {
      name: 'every-module-has-its-line',
      comment: 'A new module is named in the layers of .dependency-cruiser.cjs.',
      severity: 'error',
      from: { path: `${MODULES}(?!(${known})/)` },
      to: {},
    },

    // Inside a module.
    {
      name: 'rules-import-rules-and-contract',
      severity: 'error',
      from: { path: `${MODULES}[^/]+/[a-z-]*rules\\.ts$` },
      to: { pathNot: `${MODULES}[^/]+/[a-z-]*rules\\.ts$|^contract/src/` },
    },
    {
      name: 'tables-and-routes-are-private-to-their-module',
      severity: 'error',
      from: { path: `${MODULES}([^/]+)/`, pathNot: TESTS },
      to: { path: `${MODULES}.*[/-](tables|routes)\\.ts$`, pathNot: `${MODULES}$1/` },
    },
    {
      name: 'tables-are-never-used-from-outside-modules',
      severity: 'error',
      from: { path: '^server/src/', pathNot: `${MODULES}|${TESTS}` },
      to: { path: `${MODULES}.*[/-]tables\\.ts$` },
    },
    {
      name: 'only-app-mounts-routes',
      severity: 'error',
      from: { path: '^server/src/', pathNot: `^server/src/app/|${MODULES}|${TESTS}` },
      to: { path: `${MODULES}.*[/-]routes\\.ts$` },
    },
  ],
  options: {
    // TypeScript 7 has no compiler API; swc sees type-only imports too.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    // What is built, of ours only: most packages resolve to their own dist/.
    exclude: { path: '^(contract|server|web|node-agent|e2e|bench)[^.]*/(dist|generated|gen)/|\\.gen\\.ts$' },
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json', '.css'],
    },
  },
};
