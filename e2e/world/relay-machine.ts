import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Network } from './network.ts';
import { must, run } from './processes.ts';

/** An entry relay: a machine of its own beside the internet, made by the command that the operator is shown. */
export interface RelayMachine {
  readonly namespace: string;
  readonly address4: string;
  readonly address6: string;
  /** The internet's end of the link to it. */
  readonly link: string;
  /** Runs the operator's command there, with its files in a directory of the test instead of /etc. */
  setUp(command: string): Promise<void>;
  /** Its unit's file, as written by the command. */
  readonly unit: string;
  down(): Promise<void>;
}

/** systemd runs no units in a namespace: this does what starting the unit would. */
const SYSTEMCTL = `#!/bin/sh
[ "$1" = restart ] || exit 0
sed -n 's/^ExecStart=//p' "$UNITS/$2.service" | sh -e
`;

export async function createRelayMachine(network: Network, directory: string, number: number): Promise<RelayMachine> {
  const namespace = `${network.node.replace(/node$/, 'rel')}${number}`;
  const link = `irel${number}`;
  const [net4, net6] = [`198.51.10${number}`, `2001:db8:b${number}:`];
  const here = join(directory, `relay-${number}`);
  const [programs, files] = [join(here, 'bin'), join(here, 'files')];
  for (const path of [programs, files]) mkdirSync(path, { recursive: true });
  writeFileSync(join(programs, 'systemctl'), SYSTEMCTL);
  chmodSync(join(programs, 'systemctl'), 0o755);
  const lines = [
    `netns add ${namespace}`,
    `-n ${namespace} link set lo up`,
    `-n ${network.internet} link add ${link} type veth peer name eth0 netns ${namespace}`,
    `-n ${network.internet} addr add ${net4}.1/24 dev ${link}`,
    `-n ${network.internet} addr add ${net6}:1/64 dev ${link} nodad`,
    `-n ${network.internet} link set ${link} up`,
    `-n ${namespace} addr add ${net4}.2/24 dev eth0`,
    `-n ${namespace} addr add ${net6}:2/64 dev eth0 nodad`,
    `-n ${namespace} link set eth0 up`,
    `-n ${namespace} route add default via ${net4}.1`,
    `-n ${namespace} -6 route add default via ${net6}:1`,
  ];
  await must('sh', ['-e'], { input: lines.map((line) => `ip ${line}\n`).join('') });
  return {
    ...{ namespace, link, address4: `${net4}.2`, address6: `${net6}:2`, unit: join(files, 'raha-relay.service') },
    setUp: async (command) => {
      const inTest = command.replaceAll('/etc/systemd/system', files).replaceAll('/etc/raha-relay', files);
      const environment = {
        ...process.env,
        UNITS: files,
        PATH: `${programs}:${process.env.PATH ?? ''}:/usr/sbin:/sbin`,
      };
      await must('ip', ['netns', 'exec', namespace, 'sh', '-e'], { input: inTest, env: environment });
    },
    down: async () => {
      await run('ip', ['netns', 'del', namespace]);
    },
  };
}
