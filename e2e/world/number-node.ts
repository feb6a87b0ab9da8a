import { setTimeout } from 'node:timers/promises';
import { enrolWith, type FakeNode } from '../../server/test/fake-node.ts';
import type { Site } from './site.ts';

/** A VPN server that is online and reports the traffic that a test gives it, over the real protocol. */
export interface NumberNode {
  readonly node: FakeNode;
  /** Reports `bytes` more on a config, up and down together; each lease is used up before the next is requested. */
  pass(config: string, bytes: number): Promise<void>;
  close(): void;
}

const frankfurt = { name: 'frankfurt-1', country: 'DE', city: 'Frankfurt', address: '198.51.100.2' };

export async function openNumberNode(site: Site, other: Partial<typeof frankfurt> = {}): Promise<NumberNode> {
  const { name, country, city, address } = { ...frankfurt, ...other };
  const { token } = await site.controlPlane.raha<{ token: string }>(
    ...['nodes', 'add', '--name', name, '--country', country, '--city', city, '--address', address],
  );
  const node = await enrolWith({ origin: site.controlPlane.url }, token);
  await node.report([]);
  await node.settle();
  const alive = setInterval(() => void node.report([]).catch(() => {}), 4_000);
  const totals = new Map<string, number>();
  return {
    node,
    pass: async (config, bytes) => {
      const requested = (totals.get(config) ?? 0) + bytes;
      while ((totals.get(config) ?? 0) < requested) {
        const before = totals.get(config) ?? 0;
        // The next lease comes with the response, or a moment later.
        for (let tries = 0; node.limitOf(config) <= before; tries += 1) {
          if (tries === 50) throw new Error(`the lease of ${config} ends at ${before}`);
          await node.settle();
          await setTimeout(100);
        }
        const total = Math.min(requested, node.limitOf(config));
        totals.set(config, total);
        const up = Math.floor(total / 10);
        await node.report([{ config, up, down: total - up }]);
      }
    },
    close: () => clearInterval(alive),
  };
}

/** Each report uses up a lease, and the next one comes with the answer, until nothing is left to pay for it. */
export async function useUpMoney({ node }: NumberNode, config: string): Promise<void> {
  await node.settle();
  for (let used = -1; used < node.limitOf(config); ) {
    used = node.limitOf(config);
    await node.report([{ config, down: used }]);
    await node.settle();
  }
}

/** Answers the one trace question that comes with the long poll; resolves with the config that it named. */
export async function answerTrace({ node }: NumberNode): Promise<string> {
  const [config = ''] = node.peers.keys();
  node.answersTraces = true;
  for (;;) {
    const state = await node.sync(5);
    if (state.kind !== 'unchanged' || !state.trace) continue;
    node.answersTraces = false;
    await node.call('POST', '/trace-answers', { id: state.trace.id, answer: { kind: 'config', config } });
    return config;
  }
}
