/**
 * The directories of all packages with which some workspaces run, by the lock file: what they depend on, and what that depends on, each
 * where Node finds it. npm's own `--omit dev` also leaves out what is somebody's development dependency, too.
 */
export function shippedPackages(lock, workspaces) {
  const found = new Set();
  const open = [...workspaces, ''];
  while (open.length > 0) {
    const path = open.pop();
    const entry = lock.packages[path];
    const { dependencies, optionalDependencies, peerDependencies } = entry;
    const wanted = path === '' ? [optionalDependencies] : [dependencies, optionalDependencies, peerDependencies];
    for (const name of wanted.flatMap((list) => Object.keys(list ?? {}))) {
      const at = locate(lock, path, name);
      if (!at || found.has(at) || lock.packages[at].link || lock.packages[at].dev || IS_RUNTIME.test(at)) continue;
      found.add(at);
      open.push(at);
    }
  }
  return [...found].sort();
}

/** The archive has the runtime in a place of its own. */
const IS_RUNTIME = /^node_modules\/node-linux-/;

/** The nearest one above, as Node looks for it. */
function locate(lock, from, name) {
  for (let base = from; ; base = base.includes('/') ? base.slice(0, base.lastIndexOf('/')) : '') {
    const candidate = base === '' ? `node_modules/${name}` : `${base}/node_modules/${name}`;
    if (lock.packages[candidate]) return candidate;
    if (base === '') return undefined;
  }
}
