import { randomUUID } from 'node:crypto';
import { tellOwner, tracePort } from '../../src/modules/provisioning/trace-port.ts';
import { enrolFakeNode } from '../fake-node.ts';
import { actor, type TestWorld } from '../world.ts';

const about = { family: 4, protocol: 'tcp', port: 40_000 } as const;
const order = { actor, reason: 'they complained', about } as const;

/** A trace leaves one entry before the server is asked, and one when it names a config. */
export const traceActs = {
  'nodes.trace': async ({ world }: { world: TestWorld }) => {
    const { id: nodeId } = await enrolFakeNode(world, { name: 'traced-1' });
    return () => tracePort({ ...world.deps, traceWaitMs: 1 }, { ...order, nodeId });
  },
  'nodes.trace-found': async ({ world }: { world: TestWorld }) => {
    const { id: nodeId } = await enrolFakeNode(world, { name: 'traced-2' });
    const { api } = await world.user();
    const { data } = await api.createConfig({ body: { name: 'phone', serverId: nodeId } });
    return () => tellOwner(world.deps, { ...order, nodeId }, randomUUID(), data.config.id);
  },
};
