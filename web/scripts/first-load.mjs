/**
 * Keeps everything that the first load needs in one file. Left alone, the bundler cuts it into several whenever lazy
 * parts share some of it, and a few small files weigh kilobytes more than one.
 */
export function firstLoad() {
  return {
    name: 'first-load',
    apply: 'build',
    applyToEnvironment: ({ name }) => name === 'client',
    outputOptions: (options) => ({ ...options, codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] } }),
  };
}
