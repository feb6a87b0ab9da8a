import type { NodeSettings } from '@raha/contract/node/protocol.ts';
import type { TraceAnswer, TraceQuestion } from '@raha/contract/node/trace.ts';
import { expect, test } from 'vitest';
import type { ApiClient } from '../control/api-client.ts';
import { type AppliedState, createAppliedState } from '../control/applied-state.ts';
import type { PeerIdentity } from '../control/plan.ts';
import { CommandFailed, type Shell } from '../platform/shell.ts';
import { createTracer, nameConfig } from './answer-trace.ts';
import { readSources } from './connection-table.ts';

/** For which the kernel keeps a silent TCP connection, as the agent sets it. */
const KEPT = 7_440;
const tcp = (source: string, state = 'ESTABLISHED', left = 7_400) =>
  `tcp      6 ${left} ${state} src=${source} dst=192.0.2.80 sport=40000 dport=443 src=192.0.2.80 dst=198.51.100.2 sport=443 dport=40000 [ASSURED] mark=0 use=1`;
const udp = (source: string, exit = '198.51.100.2') =>
  `udp      17 29 src=${source} dst=192.0.2.80 sport=40000 dport=443 [UNREPLIED] src=192.0.2.80 dst=${exit} sport=443 dport=40000 mark=0 use=1`;

test.each([
  ['nothing', '', []],
  ['an established connection', tcp('10.64.0.2'), ['10.64.0.2']],
  ['one that has ended, for two more minutes', tcp('10.64.0.2', 'TIME_WAIT', 100), ['10.64.0.2']],
  ['one that nobody has answered', udp('10.64.0.2'), ['10.64.0.2']],
  ['one that has been silent for five minutes', tcp('10.64.0.2', 'ESTABLISHED', KEPT - 301), []],
  ['one whose data is not acknowledged yet', tcp('10.64.0.2', 'ESTABLISHED', 299), ['10.64.0.2']],
  ['one that spoke just before', tcp('10.64.0.2', 'ESTABLISHED', KEPT - 300), ['10.64.0.2']],
  ['two connections of two devices', `${udp('10.64.0.2')}\n${udp('10.65.0.3')}\n`, ['10.64.0.2', '10.65.0.3']],
  ['a question to the node’s own resolver, which does not leave it', udp('10.64.0.2', '10.64.0.2'), []],
  [
    'IPv6',
    'udp      17 29 src=fd72:6168:6100::102 dst=2001:db8:80::80 sport=4 dport=443 src=2001:db8:80::80 dst=2001:db8:a::2 sport=443 dport=4 mark=0 use=1',
    ['fd72:6168:6100::102'],
  ],
])('the table of connections has %s', (_, listed, sources) => {
  expect([...readSources(listed, KEPT)]).toEqual(sources);
});

const settings = {
  wireguard: { listenPort: 51820, address4: '10.64.0.1/16', address6: 'fd72:6168:6100::1/64', mtu: 1420 },
  openvpn: {
    tcp: { address4: '10.67.0.1/16', address6: 'fd72:6168:6103::1/64' },
    openconnect: { address4: '10.68.0.1/16', address6: 'fd72:6168:6104::1/64' },
    proxy: { address4: '10.69.0.1/16', path: '/news' },
  },
  samplePeriodMs: 2_000,
  reportPeriodMs: 4_000,
} as NodeSettings;

function applied(): AppliedState {
  const state = createAppliedState(settings, null);
  const put = (slot: number, peer: PeerIdentity) => {
    state.peers.set(peer.id, peer);
    state.slots.set(slot, peer.id);
  };
  const keys = { publicKey: 'key', presharedKey: 'psk' };
  put(2, { id: 'phone', protocol: 'wireguard', address4: '10.64.0.2', address6: 'fd72:6168:6100::2', ...keys });
  const name = { commonName: 'a', blocked: false };
  put(258, { id: 'laptop', protocol: 'openvpn', address4: '10.65.1.2', address6: 'fd72:6168:6101::102', ...name });
  return state;
}

const named = (config: string): TraceAnswer => ({ kind: 'config', config });
const unused: TraceAnswer = { kind: 'unused' };
test.each([
  ['a config', ['10.64.0.2'], named('phone')],
  ['a config over IPv6', ['fd72:6168:6100::2'], named('phone')],
  ['one config over both', ['10.64.0.2', 'fd72:6168:6100::2'], named('phone')],
  ['OpenVPN', ['10.65.1.2'], named('laptop')],
  ['OpenVPN over TCP', ['10.67.1.2'], named('laptop')],
  ['OpenVPN over TCP and IPv6', ['fd72:6168:6103::102'], named('laptop')],
  ['OpenConnect', ['10.68.1.2'], named('laptop')],
  ['OpenConnect and IPv6', ['fd72:6168:6104::102'], named('laptop')],
  ['the proxy', ['10.69.1.2'], named('laptop')],
  ['two configs', ['10.64.0.2', '10.67.1.2'], { kind: 'several', configs: 2 }],
  ['nobody', [], unused],
  ['the node itself', ['198.51.100.2', '2001:db8:a::2'], unused],
  ['a config that is gone', ['10.64.0.9'], unused],
  ['the slot of a config in another protocol’s network', ['10.65.0.2'], unused],
] as const)('the addresses are those of %s', (_, sources, answer) => {
  expect(nameConfig(applied(), new Set(sources))).toEqual(answer);
});

function toy(run: Shell['run']) {
  const [answers, logged, asked]: [unknown[], unknown[], string[]] = [[], [], []];
  const note = (...words: unknown[]) => void logged.push(words);
  const tracer = createTracer({
    applied: applied(),
    log: { info: note, warn: note, error: note },
    client: { answerTrace: async (answer) => void answers.push(answer) } as ApiClient,
    shell: {
      run: async (command: string, args: readonly string[]) => {
        asked.push([command, ...args].join(' '));
        return await run(command, args);
      },
    } as Shell,
  });
  return { tracer, answers, logged, asked };
}
const question: TraceQuestion = { id: 'q', family: 4, protocol: 'tcp', port: 40_000 };
const settled = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

test('a question that comes again meanwhile is asked once, and answered once', async () => {
  let give = (_listed: string) => {};
  const { tracer, answers, asked, logged } = toy(() => new Promise((resolve) => (give = resolve)));
  tracer.take(question);
  tracer.take(question);
  await expect.poll(() => asked.length).toBe(1);
  give(tcp('10.64.0.2', 'TIME_WAIT', 100));
  await expect.poll(() => answers).toEqual([{ id: 'q', answer: named('phone') }]);
  expect(asked).toEqual(['conntrack -L -f ipv4 -p tcp --reply-port-dst 40000']);
  await settled();
  tracer.take({ ...question, family: 6, protocol: 'udp', remotePort: 443 });
  await expect.poll(() => asked.length).toBe(2);
  give('');
  await expect.poll(() => answers.length).toBe(2);
  expect(asked[1]).toBe('conntrack -L -f ipv6 -p udp --reply-port-dst 40000 --orig-port-dst 443');
  expect(logged).toEqual([]);
});

test('what cannot be read is said, and no log has the port', async () => {
  const { tracer, answers, logged } = toy(async (command, args) => {
    throw new CommandFailed(command, `${command} ${args.join(' ')}: not found`, undefined);
  });
  tracer.take(question);
  await expect.poll(() => answers).toEqual([{ id: 'q', answer: { kind: 'unable' } }]);
  expect(logged).toHaveLength(1);
  expect(JSON.stringify(logged)).not.toContain('40000');
});
