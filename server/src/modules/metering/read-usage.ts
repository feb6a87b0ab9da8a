import type { Executor } from '../../platform/database.ts';
import { selectNodesOf, selectReportedSince, selectUsage, type UsageRow } from './tables.ts';
import { selectTunnels, type TunnelRow } from './tunnel-tables.ts';

/** The traffic of configs and whether their devices are connected. For display, not for decisions about money. */
export interface Usage extends UsageRow {
  readonly tunnel: TunnelRow | undefined;
}

export async function readUsage(db: Executor, configIds: readonly string[]): Promise<Map<string, Usage>> {
  if (configIds.length === 0) return new Map();
  const rows = await selectUsage(db, configIds);
  const tunnels = new Map((await selectTunnels(db, configIds)).map((tunnel) => [tunnel.config_id, tunnel]));
  return new Map(rows.map((row) => [row.config_id, { ...row, tunnel: tunnels.get(row.config_id) }]));
}

/** Configs of these users on which a node has reported since an instant. */
export async function listReported(db: Executor, nodeId: string, userIds: readonly string[], since: Date) {
  return await selectReportedSince(db, nodeId, userIds, since);
}

/** The nodes with a meter of this user. */
export async function listNodesOf(db: Executor, userId: string): Promise<string[]> {
  return await selectNodesOf(db, userId);
}
