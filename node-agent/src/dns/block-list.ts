/** A name as the protocol has it (RFC 1035 2.3.1, with the underscore that services use); the root is not one. */
const NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** In files of the hosts kind the address stands first. */
const NOWHERE = new Set(['0.0.0.0', '127.0.0.1', '::', '::1']);

/**
 * Reads an operator's list: a name per line, bare or behind an address as in a hosts file; `#` begins a comment. What is
 * no name is passed over, so that nothing from the file reaches the resolver's configuration but names. Names below
 * another name of the list are left out: it covers them.
 */
export function readBlockList(text: string): string[] {
  const names = new Set<string>();
  for (const line of text.split('\n')) {
    const words = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    for (const word of NOWHERE.has(words[0] ?? '') ? words.slice(1) : words.slice(0, 1)) {
      const name = word.replace(/\.$/, '');
      if (NAME.test(name)) names.add(name);
    }
  }
  return [...names].filter((name) => !isCovered(name, names)).sort();
}

function isCovered(name: string, names: ReadonlySet<string>): boolean {
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    if (names.has(name.slice(dot + 1))) return true;
  }
  return false;
}
