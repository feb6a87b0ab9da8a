import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDevice } from '../e2e/world/device.ts';
import { addresses } from '../e2e/world/network.ts';
import { must, pause, run, start, until } from '../e2e/world/processes.ts';
import { activate, signUp } from '../e2e/world/user.ts';
import { createWorld, type World, waitForServer } from '../e2e/world/world.ts';
import { type Figure, medianFigure, ratioFigure, type Say } from './run.ts';
import { median } from './statistics.ts';

const ROUNDS = 15;
/** After its start the agent opens every protocol, and after a halt it does what it missed: neither is what it costs all day. */
const SETTLE_MS = { start: 15_000, halt: 3_000 };
const SECONDS = 3;
const DOWNLOAD_BYTES = 30_000_000;
const DOWNLOADS = 3;
const BARE = `flush ruleset
table ip bare {
  chain out {
    type nat hook postrouting priority srcnat;
    oifname "eth0" masquerade
  }
}
`;

/**
 * (n) A tunnel's throughput (WireGuard, download by iperf3) with the agent and while it is halted, turn by turn; then with its rules and with
 * bare masquerading in the same namespaces, turn by turn. Then what is billed against what the device receives, when its network
 * loses packets.
 */
export async function measureThroughput(say: Say): Promise<Figure[]> {
  const world = await createWorld({ agentAsInstalled: true });
  try {
    const user = await signUp(world.controlPlane.url, world.mailbox, 'bench@example.com', 'Bench');
    await activate(world.controlPlane, user.api, 1_000);
    const serverId = await waitForServer(world);
    const { data } = await user.api.createConfig({ body: { name: 'bench', serverId, keepKey: true } });
    const device = createDevice(world.network, world.directory);
    await device.up(data.file);
    await until('a page through the tunnel', async () => (await device.seenAs()) === addresses.node4);
    const billed = async () => {
      return Number((await user.api.getConfig({ params: { id: data.config.id } })).data.config.totalTraffic);
    };
    const costs = await measureCosts(world, say);
    return [...costs, ...(await measureLoss(world, billed, say))];
  } finally {
    await world.close();
  }
}

async function measureCosts(world: World, say: Say): Promise<Figure[]> {
  const { network, vpnNode, directory } = world;
  const server = ['netns', 'exec', network.internet, 'iperf3', '-s', '--forceflush'];
  const running = start('ip', server, { logFile: join(directory, 'iperf.log') });
  await running.waitFor(/Server listening/, 10_000);
  const inNode = (input: string) => must('ip', ['netns', 'exec', network.node, 'nft', '-f', '-'], { input });
  const runs = { agent: [] as Run[], halted: [] as Run[], rules: [] as Run[], bare: [] as Run[] };
  const download = () => measureDownload(network);
  await download();
  await pause(SETTLE_MS.start);
  const pid = await vpnNode.pid();
  for (let round = 0; round < ROUNDS; round++) {
    runs.agent.push(await download());
    process.kill(pid, 'SIGSTOP');
    runs.halted.push(await download());
    process.kill(pid, 'SIGCONT');
    await pause(SETTLE_MS.halt);
  }
  await vpnNode.kill();
  await inNode(await withoutLimits(world));
  const rules = await must('ip', ['netns', 'exec', network.node, 'nft', 'list', 'ruleset']);
  for (let round = 0; round < ROUNDS; round++) {
    await inNode(`flush ruleset\n${rules}`);
    runs.rules.push(await download());
    await inNode(BARE);
    runs.bare.push(await download());
  }
  await inNode(`flush ruleset\n${rules}`);
  await vpnNode.start();
  await pause(SETTLE_MS.start);
  await running.kill('SIGTERM');
  const rates = (name: keyof typeof runs) => runs[name].map(({ bitsPerSecond }) => bitsPerSecond / 1e6);
  const times = (name: keyof typeof runs) => runs[name].map(({ secondsPerGb }) => secondsPerGb);
  const at = (name: keyof typeof runs) =>
    `${median(rates(name)).toFixed(0)} Mbit/s, ${median(times(name)).toFixed(2)} s/GB`;
  say(`  with the agent ${at('agent')}; while it is halted ${at('halted')}`);
  say(`  with its rules ${at('rules')}; bare masquerading ${at('bare')}`);
  const [part, rate, cost] = ['n', { atLeast: 0.95 }, { atMost: 1.05 }] as const;
  return [
    medianFigure(part, 'throughput of bare masquerading', 'Mbit/s', rates('bare')),
    ratioFigure(part, 'the same with our rules', rates('rules'), rates('bare'), rate),
    ratioFigure(part, 'throughput with the agent to that while it is halted', rates('agent'), rates('halted'), rate),
    medianFigure(part, 'processor time of bare masquerading', 's/GB', times('bare')),
    ratioFigure(part, 'the same with our rules', times('rules'), times('bare'), cost),
    ratioFigure(part, 'that with the agent to that while it is halted', times('agent'), times('halted'), cost),
    medianFigure(
      part,
      'processor time of the agent meanwhile',
      '% of a core',
      runs.agent.map(({ share }) => 100 * share),
    ),
  ];
}

interface Run {
  readonly bitsPerSecond: number;
  /** Processor time of wireguard-go for 10⁹ bytes, with what the kernel does for it, which other work on the machine changes less. */
  readonly secondsPerGb: number;
  /** Of a core, by the other programs of the node: the agent, if it runs, and its daemons. */
  readonly share: number;
}

async function measureDownload({ client, node }: World['network']): Promise<Run> {
  const before = await processorTimes(node);
  const begin = performance.now();
  const words = ['iperf3', '-c', addresses.web4, '-R', '-J', '-t', String(SECONDS)];
  type Sum = { bits_per_second: number; bytes: number };
  const { end } = JSON.parse(await must('ip', ['netns', 'exec', client, ...words])) as { end: { sum_received: Sum } };
  const elapsed = (performance.now() - begin) / 1_000;
  const spent = { tunnel: 0, others: 0 };
  for (const [pid, { name, seconds }] of await processorTimes(node)) {
    spent[name === 'wireguard-go' ? 'tunnel' : 'others'] += seconds - (before.get(pid)?.seconds ?? seconds);
  }
  const { bytes, bits_per_second: bitsPerSecond } = end.sum_received;
  return { bitsPerSecond, secondsPerGb: (spent.tunnel * 1e9) / bytes, share: spent.others / elapsed };
}

/** By process of the namespace: its name, and seconds with those of children that have ended. */
async function processorTimes(namespace: string): Promise<Map<string, { name: string; seconds: number }>> {
  const pids = (await must('ip', ['netns', 'pids', namespace])).split('\n').filter((pid) => pid !== '');
  return new Map(pids.map((pid) => [pid, readTimes(pid)]));
}

/** proc_pid_stat(5): fields 14 to 17, in hundredths. */
function readTimes(pid: string): { name: string; seconds: number } {
  try {
    const [, name = '', rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    const fields = rest.split(' ').slice(11, 15);
    return { name, seconds: fields.reduce((sum, field) => sum + Number(field) / 100, 0) };
  } catch {
    // It has just ended; its time counts as its parent's.
    return { name: '', seconds: 0 };
  }
}

/** Nobody raises leases while the agent is away. */
async function withoutLimits({ network, vpnNode }: World): Promise<string> {
  const table = `raha_${vpnNode.interfaceName}`;
  const list = ['netns', 'exec', network.node, 'nft', '-j', 'list', 'quotas', 'table', 'inet', table];
  const names = [...(await must('ip', list)).matchAll(/"name": "(slot\d+)"/g)].map(([, name]) => name);
  return names.map((name) => `add quota inet ${table} ${name} { over 1000000000000 bytes }\n`).join('');
}

/**
 * The device's network carries 20 Mbit/s, so that nothing but the network loses packets: neither the device's own buffers nor its
 * processor. Received is what has come out of the tunnel, and what has gone into it.
 */
async function measureLoss(world: World, billed: () => Promise<number>, say: Say): Promise<Figure[]> {
  const { network } = world;
  const inInternet = (...words: string[]) => must('ip', ['netns', 'exec', network.internet, ...words]);
  await inInternet(
    'tc',
    'qdisc',
    'add',
    'dev',
    'icli',
    'root',
    'tbf',
    ...['rate', '20mbit', 'burst', '64k', 'latency', '200ms'],
  );
  const shares = { none: [] as number[], some: [] as number[] };
  const measure = async () => {
    const before = { billed: await settle(billed), received: await passed(network.client, `rc${network.id}`) };
    const fetch = ['curl', '-s', '-o', '/dev/null', '-m', '120', `http://${addresses.web4}/blob?n=${DOWNLOAD_BYTES}`];
    await must('ip', ['netns', 'exec', network.client, ...fetch]);
    const after = { billed: await settle(billed), received: await passed(network.client, `rc${network.id}`) };
    return (after.billed - before.billed) / (after.received - before.received);
  };
  for (let round = 0; round < DOWNLOADS; round++) {
    shares.none.push(await measure());
    await inInternet('nft', 'add table ip lossy');
    await inInternet('nft', 'add chain ip lossy forward { type filter hook forward priority 0; }');
    await inInternet('nft', 'add rule ip lossy forward oifname "icli" numgen random mod 100 < 2 drop');
    shares.some.push(await measure());
    await inInternet('nft', 'delete table ip lossy');
  }
  await run('ip', ['netns', 'exec', network.internet, 'tc', 'qdisc', 'del', 'dev', 'icli', 'root']);
  const [none, some] = [median(shares.none), median(shares.some)];
  say(`  billed to received: ${none.toFixed(3)} without loss, ${some.toFixed(3)} with 2 % lost after the node`);
  const aim = { atMost: 1.05 };
  return [
    { part: 'n', what: 'billed to received, at 20 Mbit/s', value: none, unit: '×', runs: shares.none, aim },
    { part: 'n', what: 'the same with 2 % lost after the node', value: some, unit: '×', runs: shares.some, aim },
  ];
}

/** Once two readings more than a report apart are the same. */
async function settle(read: () => Promise<number>): Promise<number> {
  let last = -1;
  return await until(
    'usage to settle',
    async () => {
      const now = await read();
      const isSame = now === last;
      last = now;
      return isSame && now;
    },
    60_000,
    6_000,
  );
}

/** Bytes of inner packets in both directions. */
async function passed(client: string, device: string): Promise<number> {
  type Link = { stats64: { rx: { bytes: number }; tx: { bytes: number } } };
  const [link] = JSON.parse(await must('ip', ['-n', client, '-j', '-s', 'link', 'show', device])) as Link[];
  return (link?.stats64.rx.bytes ?? 0) + (link?.stats64.tx.bytes ?? 0);
}
