import { Resolver } from 'node:dns/promises';

/** Prints a name's IPv4 address according to a name server; nothing when it does not answer. Run inside a namespace. */
const [name = '', server = '', seconds = ''] = process.argv.slice(2);
// One query: the tests count them.
const resolver = new Resolver({ timeout: Number(seconds) * 1_000, tries: 1 });
resolver.setServers([server]);
resolver.resolve4(name).then(
  ([address]) => process.stdout.write(address ?? ''),
  () => {},
);
