/**
 * Puts into one file each what screens need at their start, and what many screens share of our own small parts into another. Left
 * alone, the bundler cuts them into dozens whenever lazy parts share some of it: a few small files weigh kilobytes more than one,
 * and a slow phone takes longer to request thirty than three.
 *
 * `starts` are the modules at which the program, the screens of visitors and those of the panel begin. `first` is what the program
 * needs before any screen, and what both kinds of screens need; `panel` and `visitor` is what only one of them does.
 */
export function firstLoad(starts) {
  const used = {};
  const isFirst = (id) => used.program.has(id) || (used.visitor.has(id) && used.panel.has(id));
  return {
    name: 'first-load',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    buildEnd() {
      for (const [name, ids] of Object.entries(starts)) used[name] = usedBy(ids, this);
    },
    outputOptions: (options) => ({
      ...options,
      codeSplitting: {
        // A group takes along what its modules import, so what more of them need goes first.
        groups: [
          { name: 'first', test: isFirst, priority: 3 },
          { name: 'panel', test: (id) => used.panel.has(id), priority: 2 },
          // What only visitors see stays with their screens.
          { name: 'visitor', test: (id) => used.visitor.has(id), minShareCount: SCREENS, priority: 1 },
          { name: 'common', test: isSmall, minShareCount: SCREENS },
          { name: 'shapes', test: shapes, minShareCount: SCREENS },
        ],
      },
    }),
  };
}

/** Shared by fewer, it is loaded with those. */
const SCREENS = 2;
const parts = /\/web\/src\/(ui|text|api|components)\/|\/lucide-react\//;
/** What forms are checked with. */
const shapes = /\/node_modules\/zod\/|\/contract\/src\/(endpoint|shapes)\.ts/;
/** These bring a library along, or are long themselves. */
const large = /\/(sheet|anchored-menu|notification-panel|qr-code)\.tsx/;

function isSmall(id) {
  return parts.test(id) && !large.test(id);
}

/**
 * What modules import, directly or through others, but not later (`import()`). A list of all messages or icons counts as those that
 * its importers name.
 */
function usedBy(starts, graph) {
  const used = new Set();
  const add = (id) => {
    if (used.has(id)) return;
    used.add(id);
    const { code, importedIds } = graph.getModuleInfo(id) ?? {};
    for (const imported of importedIds ?? []) {
      const list = lists.find(({ path }) => imported.endsWith(path));
      if (!list) add(imported);
      else
        for (const file of list.named(code, graph.getModuleInfo(imported).code)) add(imported.replace(list.path, file));
    }
  };
  for (const start of starts) add(start);
  return used;
}

const lists = [
  {
    path: '/text/generated/messages.js',
    named: (code) => [...code.matchAll(/\bm\.(\w+)/g)].map(([, name]) => `/text/generated/messages/${name}.js`),
  },
  {
    path: '/lucide-react.mjs',
    named: (code, list) =>
      [...code.matchAll(/import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g)]
        .flatMap(([, names]) => names.split(','))
        .map((name) => name.trim().split(' as ')[0])
        // An icon has several names.
        .map((name) => new RegExp(`\\bas ${name}\\b.* from ['"]\\.(/icons/.*)['"]`).exec(list)?.[1])
        .filter(Boolean),
  },
];
