/**
 * Keeps everything that the first load needs in one file, and what many screens share of our own small parts in another.
 * Left alone, the bundler cuts them into dozens whenever lazy parts share some of it: a few small files weigh kilobytes
 * more than one, and a slow phone takes longer to ask for thirty than for three.
 */
export function firstLoad() {
  return {
    name: 'first-load',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    outputOptions: (options) => ({
      ...options,
      codeSplitting: {
        groups: [
          { name: 'first', tags: ['$initial'], priority: 1 },
          { name: 'common', test: isSmall, minShareCount: SCREENS, priority: 0.5 },
          { name: 'shapes', test: shapes, minShareCount: SCREENS, priority: 0.5 },
          { name: 'forms', test: visitorForms, minShareCount: SCREENS, priority: 0.5 },
          { name: 'panel', test: panelParts, minShareCount: SCREENS },
        ],
      },
    }),
  };
}

/** Shared by fewer, it is loaded with those. */
const SCREENS = 2;
const parts = /\/web\/src\/(ui|text|api|components)\/|\/lucide-react\/|\/react-router\//;
/** What forms are checked with. */
const shapes = /\/node_modules\/zod\/|\/contract\/src\/(endpoint|shapes)\.ts/;
/** What the dashboard shares with other screens of the panel, and no visitor needs. */
const panelParts =
  /\/pages\/user\/(shared\/save-file|dashboard\/subscription-card|first-steps\/decide-steps|configs\/(use-config-actions|known-file|save-profile|config-file|device-system|connection-map|connection-card)|wallet\/transaction-views)\.|\/contract\/src\/money\./;
/** What the screens for visitors share with the panel. */
const visitorForms = /\/web\/src\/pages\/auth\/shared\/|\/contract\/src\/public\/(auth|password)\.ts/;
/** These bring a library along, or are long themselves. */
const large = /\/(sheet|anchored-menu|notification-panel|qr-code)\.tsx/;

function isSmall(id) {
  return parts.test(id) && !large.test(id);
}
