import { once } from 'node:events';
import type { nodeEndpoints } from '@raha/contract/node/protocol.ts';
import type { Handlers } from '../../platform/http/mount.ts';
import { certifyNode } from '../fleet/certificate-authority.ts';
import { enrolNode } from '../fleet/enrol-node.ts';
import type { Node } from '../fleet/nodes.ts';
import { listReachNetworks } from '../reach/networks.ts';
import { type DesiredStateDeps, waitForDesiredState } from './desired-state.ts';
import { traceAnswered } from './signals.ts';

export function nodeRoutes(
  deps: DesiredStateDeps,
): Handlers<
  Pick<typeof nodeEndpoints, 'enrol' | 'certify' | 'getDesiredState' | 'getNetworks' | 'answerTrace'>,
  unknown,
  Node
> {
  return {
    async enrol({ body, request }) {
      const enrolled = await enrolNode(deps, { ...body, from: request.ip });
      return { success: true, ...enrolled };
    },
    async certify({ caller, body }) {
      await certifyNode(deps, caller, body);
      return { success: true };
    },
    async getNetworks() {
      return await listReachNetworks(deps);
    },
    async answerTrace({ caller, body }) {
      deps.bus.announceSoon(traceAnswered, { nodeId: caller.id, ...body });
      return { success: true };
    },
    async getDesiredState({ caller, query, reply }) {
      const closed = new AbortController();
      const end = () => closed.abort();
      deps.draining.addEventListener('abort', end, { once: true });
      if (deps.draining.aborted) end();
      once(reply.raw, 'close', { signal: closed.signal }).then(
        () => closed.abort(),
        () => undefined,
      );
      try {
        return await waitForDesiredState(deps, caller, query, closed.signal);
      } finally {
        deps.draining.removeEventListener('abort', end);
        closed.abort();
      }
    },
  };
}
