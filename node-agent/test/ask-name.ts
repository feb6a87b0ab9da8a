import { Resolver } from 'node:dns/promises';

/** Asks a name server for a name's IPv4 address and prints it; nothing when there is no answer. Run inside a namespace. */
const [name = '', server = ''] = process.argv.slice(2);
const resolver = new Resolver({ timeout: 1_000, tries: 1 });
resolver.setServers([server]);
resolver.resolve4(name).then(
  ([address]) => process.stdout.write(address ?? ''),
  () => {},
);
