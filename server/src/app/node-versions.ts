import { sentenceOf } from '@raha/contract/errors.ts';
import { limits } from '@raha/contract/limits.ts';
import { mountedNodeVersions, NODE_PROTOCOL_VERSION } from '@raha/contract/node/versions.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticateNode } from '../modules/fleet/node-caller.ts';
import { sendRefusal } from '../platform/http/answers.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Deps } from './deps.ts';
import { UPDATE_COMMAND } from './installer.ts';
import type { Metrics } from './metrics.ts';

/**
 * Refuses calls in a version of the node protocol that this server does not support, with a message that says what to
 * upgrade and how. The agent logs it; the server logs it once per node and version.
 */
export function refuseOtherNodeVersions(app: FastifyInstance, deps: Deps, metrics: Metrics): void {
  const logged = new Set<string>();
  app.all<{ Params: { version: string } }>(
    '/node/v:version(^\\d{1,4}$)/*',
    { bodyLimit: limits.node.reportBytes },
    async (request, reply) => {
      const agent = Number(request.params.version);
      if (mountedNodeVersions.includes(agent)) throw new Refusal('not_found');
      const isOlder = agent < NODE_PROTOCOL_VERSION;
      const code = isOlder ? 'node_agent_too_old' : 'node_agent_too_new';
      const details = { agent, server: NODE_PROTOCOL_VERSION, command: UPDATE_COMMAND };
      metrics.nodeVersionRefusals.inc({ agent: isOlder ? 'older' : 'newer' });
      const node = await findName(deps, request);
      // Anybody can call with any version, so all unauthenticated callers share one log line.
      const key = node === undefined ? 'unknown' : `${node} ${agent}`;
      if (!logged.has(key)) deps.log.warn({ node, agent }, sentenceOf(code, 'en', details));
      logged.add(key);
      // English, because operators read this in the agent's log.
      return sendRefusal(request, reply, new Refusal(code, { details }), 'en');
    },
  );
}

async function findName(deps: Deps, request: FastifyRequest): Promise<string | undefined> {
  try {
    return (await authenticateNode(deps, request)).name;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
