import { registerNode } from '../../src/modules/fleet/register-node.ts';
import { setOpenconnect } from '../../src/modules/fleet/set-openconnect.ts';
import { setProxy } from '../../src/modules/fleet/set-proxy.ts';
import { setTcpWebsite } from '../../src/modules/fleet/set-tcp-website.ts';
import { actor, type TestWorld } from '../world.ts';
import type { Act } from './audit-acts.ts';

/** What operators do about further ways of a node's OpenVPN configs. */
export const wayActs: Readonly<Record<string, Act>> = {
  'nodes.openconnect': async ({ world }) => {
    const nodeId = await addNode(world, 'with-openconnect');
    return () => setOpenconnect(world.deps, { actor, nodeId, port: 4443, udp: true });
  },
  'nodes.proxy': async ({ world }) => {
    const nodeId = await addNode(world, 'with-proxy');
    return () => setProxy(world.deps, { actor, nodeId, url: 'https://www.example.org/news/live' });
  },
  'nodes.tcp': async ({ world }) => {
    const nodeId = await addNode(world, 'with-tcp');
    return () => setTcpWebsite(world.deps, { actor, nodeId, website: 'www.example.org' });
  },
};

async function addNode({ deps }: TestWorld, name: string): Promise<string> {
  return (await registerNode(deps, { actor, name, country: 'DE', city: 'Berlin' })).nodeId;
}
