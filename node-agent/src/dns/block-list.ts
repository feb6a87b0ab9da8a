/** A DNS name (RFC 1035 2.3.1, with the underscore that services use), without the root. */
const NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Addresses that precede the names in hosts files. */
const NULL_ADDRESSES = new Set(['0.0.0.0', '127.0.0.1', '::', '::1']);

/**
 * Reads an operator's list: one name per line, alone or after an address as in a hosts file; `#` starts a comment. Anything
 * that is not a name is skipped, so that only names get into the resolver's configuration. Names below another name of the
 * list are left out, because that one covers them.
 */
export function readBlockList(text: string): string[] {
  const names = new Set<string>();
  for (const line of text.split('\n')) {
    const words = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    for (const word of NULL_ADDRESSES.has(words[0] ?? '') ? words.slice(1) : words.slice(0, 1)) {
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
