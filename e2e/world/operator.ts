import { sql } from 'kysely';
import { parseReachSet } from '../../node-agent/src/firewall/reach-table.ts';
import { openDatabase } from '../../server/src/platform/database.ts';
import type { ControlPlane } from './control-plane.ts';
import { addresses } from './network.ts';
import { must, run, until } from './processes.ts';
import type { World } from './world.ts';

/** Ports by which the node's table tells transports apart. */
const ports = { wireguard: [51_820], openvpn: [1194], openvpn_tcp: [443], ikev2: [500, 4500] } as const;

/** The node takes the client's network for the first of the operators that it counts, once it looks at this transport. */
export async function showOperator(world: World, transport: keyof typeof ports): Promise<void> {
  const table = tableOf(world);
  const node = ['netns', 'exec', world.network.node, 'nft'];
  const isSeen = async () =>
    (await run('ip', [...node, 'list', 'chain', 'inet', table, 'see'])).stdout.includes(`jump of_${transport}\n`);
  await until('the table of reach', isSeen, 20_000);
  const client = `{ ${addresses.client4} : 1 }`;
  await must('ip', [...node, 'add', 'element', 'inet', table, 'networks4', client]);
}

/** Whether a flow of a transport got through, and none that has not begun, by the kernel of the node. */
export async function isThrough(world: World, transport: keyof typeof ports): Promise<boolean> {
  const [through = 0, attempts = 0] = await Promise.all(
    ['through', 'attempts'].map((set) => countFlows(world, set, transport)),
  );
  return through >= 1 && through <= attempts;
}

async function countFlows(world: World, set: string, transport: keyof typeof ports): Promise<number> {
  const list = ['nft', '-j', 'list', 'set', 'inet', tableOf(world), set];
  const elements = parseReachSet(await must('ip', ['netns', 'exec', world.network.node, ...list]));
  const own: readonly number[] = ports[transport];
  return elements
    .filter(({ isTcp, port }) => isTcp === (transport === 'openvpn_tcp') && own.includes(port))
    .reduce((sum, { packets }) => sum + packets, 0);
}

function tableOf({ vpnNode }: World): string {
  return `raha_${vpnNode.interfaceName}_reach`;
}

/** An address of the operator to which `keepReach` gives figures, by the list that the server has. */
export const AT_OPERATOR = '5.208.1.1';

/** As if the last hour had been enough: TCP works there, WireGuard's usual port does not, another one does in part. */
export async function keepReach(controlPlane: ControlPlane): Promise<void> {
  const db = openDatabase(await controlPlane.databaseUrl(), { onError: () => {} });
  try {
    await sql`
      INSERT INTO reach_cell (network, grain, begins, transport, port, attempts, through, answers, connected)
      SELECT 197207, 'hour', date_trunc('hour', now()) - interval '2 hours', transport, port, attempts, through, answers, connected
      FROM (VALUES ('wireguard', 0, 1480, 45, 12, 1), ('wireguard', 53, 320, 205, 0, 0), ('wireguard', 4321, 99, 99, 0, 0),
        ('openvpn_tcp', 0, 0, 0, 24, 23))
        AS c (transport, port, attempts, through, answers, connected)
    `.execute(db);
  } finally {
    await db.destroy();
  }
}
