import { installCommand } from '../app/installer.ts';
import { addNode, renewEnrolment } from '../modules/fleet/add-node.ts';
import { listNodes } from '../modules/fleet/nodes.ts';
import { isOnline } from '../modules/fleet/rules.ts';
import { systemClock } from '../platform/clock.ts';
import type { Config } from '../platform/config.ts';
import { type Commands, type Context, type Result, text, UsageError, wholeNumber } from './context.ts';

export const nodeCommands: Commands = {
  'nodes add': {
    usage: '--name de1 --country DE --city Frankfurt [--address host] [--port 51820] [--address-limit 65000]',
    flags: ['name', 'country', 'city', 'address', 'port', 'address-limit'],
    run: addNodeCommand,
  },
  'nodes token': { usage: '--name de1', flags: ['name'], run: renewTokenCommand },
  'nodes list': { usage: '', run: listNodesCommand },
};

async function addNodeCommand({ db, flags, config }: Context): Promise<Result> {
  const name = text(flags, 'name');
  const country = text(flags, 'country').toUpperCase();
  if (!/^[a-z0-9][a-z0-9-]{0,30}$/.test(name))
    throw new UsageError('--name takes lower-case letters, digits and hyphens, at most 31.');
  if (!/^[A-Z]{2}$/.test(country)) throw new UsageError('--country takes two letters (ISO 3166), such as DE.');
  if ((await listNodes(db)).some((node) => node.name === name))
    throw new UsageError(`There is a node "${name}" already.`);
  const added = await addNode(
    { db, clock: systemClock },
    {
      name,
      country,
      city: text(flags, 'city'),
      address: typeof flags.address === 'string' ? flags.address : undefined,
      port: flags.port === undefined ? undefined : wholeNumber(flags, 'port', 1, 65_535),
      addressLimit: flags['address-limit'] === undefined ? undefined : wholeNumber(flags, 'address-limit', 1, 65_000),
    },
  );
  return tokenResult(added, name, config);
}

async function renewTokenCommand({ db, flags, config }: Context): Promise<Result> {
  const name = text(flags, 'name');
  const renewed = await renewEnrolment({ db, clock: systemClock }, name);
  if (!renewed) throw new UsageError(`There is no node "${name}".`);
  return tokenResult(renewed, name, config);
}

function tokenResult(added: { nodeId: string; token: string }, name: string, config: Config): Result {
  const command = installCommand(config.publicUrl, added.token);
  return {
    data: { ...added, command },
    lines: [
      `Node "${name}" is expected. Its enrolment token is good once, for 15 minutes:`,
      added.token,
      '',
      'Run this on the server machine:',
      command,
    ],
  };
}

async function listNodesCommand({ db }: Context): Promise<Result> {
  const now = systemClock.now();
  const nodes = (await listNodes(db)).map((node) => ({
    id: node.id,
    name: node.name,
    country: node.country,
    city: node.city,
    address: node.address,
    status: node.status,
    online: isOnline(node, now),
    generation: Number(node.generation),
    applied: Number(node.applied_generation ?? 0n),
    seenAt: node.seen_at?.toISOString() ?? null,
  }));
  const lines = nodes.map(
    (node) =>
      `${node.name}\t${node.country} ${node.city}\t${node.address ?? '-'}\t${node.online ? 'online' : 'offline'}\t${node.applied}/${node.generation}`,
  );
  return {
    data: { nodes },
    lines: lines.length > 0 ? lines : ['There are no nodes yet. Add one with: npm run raha -- nodes add'],
  };
}
