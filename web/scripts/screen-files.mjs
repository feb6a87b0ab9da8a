/** The files that screens load beyond the first one: their own, and what those import. Names are those of the build's manifest. */
export function filesOfScreens(manifest, screens) {
  const files = new Set();
  const add = (key) => {
    const { file, imports = [], isEntry } = manifest[key];
    if (files.has(file) || isEntry) return;
    files.add(file);
    for (const imported of imports) add(imported);
  };
  for (const screen of screens) add(screen);
  return [...files];
}
