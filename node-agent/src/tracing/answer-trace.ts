import type { TraceAnswer, TraceQuestion } from '@raha/contract/node/trace.ts';
import type { AgentContext } from '../agent-context.ts';
import type { AppliedState } from '../control/applied-state.ts';
import { slotOfAddress } from '../firewall/slot.ts';
import { addressIn } from '../tunnels/openvpn-files.ts';
import { findSources } from './connection-table.ts';
import type { Tracer } from './tracer.ts';

type Parts = Pick<AgentContext, 'applied' | 'client' | 'log'> & { readonly shell: Parameters<typeof findSources>[0] };

export function createTracer(parts: Parts): Tracer {
  let isBusy = false;
  return {
    take(question) {
      if (isBusy) return;
      isBusy = true;
      answer(parts, question)
        // What went wrong may quote the question.
        .catch(() => parts.log.warn('trace_not_answered', {}))
        .finally(() => {
          isBusy = false;
        });
    },
  };
}

async function answer({ applied, client, log, shell }: Parts, question: TraceQuestion): Promise<void> {
  const found = await findSources(shell, question).catch(() => undefined);
  if (!found) log.warn('trace_unable', { needs: 'conntrack' });
  await client.answerTrace({ id: question.id, answer: found ? nameConfig(applied, found) : { kind: 'unable' } });
}

/** Addresses that are no config's are the node's own. */
export function nameConfig(applied: AppliedState, sources: ReadonlySet<string>): TraceAnswer {
  const configs = new Set([...sources].flatMap((source) => findConfig(applied, source) ?? []));
  const [config] = configs;
  if (config === undefined) return { kind: 'unused' };
  return configs.size === 1 ? { kind: 'config', config } : { kind: 'several', configs: configs.size };
}

/** OpenVPN's devices have further pairs of addresses, where they come over TCP or by OpenConnect, and one of the proxy. */
function findConfig({ slots, peers, settings }: AppliedState, source: string): string | undefined {
  const config = slots.get(slotOfAddress(source));
  const peer = config === undefined ? undefined : peers.get(config);
  if (!peer) return undefined;
  const addresses = [peer.address4, peer.address6];
  const { tcp, openconnect, proxy } = (peer.protocol === 'openvpn' && settings.openvpn) || {};
  for (const network of [tcp, openconnect]) {
    if (network) addresses.push(addressIn(network.address4, peer.address4), addressIn(network.address6, peer.address6));
  }
  if (proxy) addresses.push(addressIn(proxy.address4, peer.address4));
  return addresses.includes(source) ? config : undefined;
}
