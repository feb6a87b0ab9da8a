import { sql } from 'kysely';
import { prepare } from '../../platform/statements.ts';
import { type ShownNode, shownNodes } from '../fleet/nodes.ts';
import type { ServedProtocol } from '../fleet/rules.ts';
import { type UsageState, usageRows } from '../metering/read-usage.ts';
import { type FamilyState, familyRows } from './family-tables.ts';

/** Configs with their node and their use: what a list of configs shows, in one statement. */
export type ConfigState = ShownNode &
  UsageState &
  FamilyState & {
    readonly config_id: string;
    readonly config_name: string;
    readonly protocol: ServedProtocol;
    readonly blocked: boolean;
    readonly keeps_key: boolean;
    readonly connect_requested_at: Date | null;
    readonly config_created_at: Date;
    readonly offers_openconnect: boolean;
  };

const columns = sql.raw(`n.*, m.*, f.*, c.id AS config_id, c.name AS config_name, c.protocol, c.blocked,
  c.private_key_sealed IS NOT NULL AS keeps_key, c.connect_requested_at, c.created_at AS config_created_at, c.offers_openconnect`);

const states = sql`
  SELECT ${columns} FROM config c JOIN ${usageRows} m ON m.config_id = c.id JOIN ${shownNodes} n ON n.id = c.node_id
  LEFT JOIN ${familyRows} f ON f.family_config_id = c.id`;

/** The configs of a user, newest first. */
export const configStates = prepare<{ userId: string }, ConfigState>(
  ({ userId }) => sql`
    ${states} WHERE c.user_id = ${userId} AND c.deleted_at IS NULL ORDER BY c.created_at DESC, c.id DESC
  `,
);

/** One of a user's configs, or nothing. */
export const configState = prepare<{ userId: string; id: string }, ConfigState>(
  ({ userId, id }) => sql`${states} WHERE c.user_id = ${userId} AND c.deleted_at IS NULL AND c.id = ${id}`,
);

/** All nodes in the order in which they were added, each with the user's configs on it or alone. */
export const nodesAndConfigs = prepare<{ userId: string }, NodeOrConfig>(
  ({ userId }) => sql`
    SELECT ${columns} FROM ${shownNodes} n LEFT JOIN (
      config c JOIN ${usageRows} m ON m.config_id = c.id AND c.user_id = ${userId} AND c.deleted_at IS NULL
      LEFT JOIN ${familyRows} f ON f.family_config_id = c.id
    ) ON c.node_id = n.id
    ORDER BY n.added_at, n.id
  `,
);

export type NodeOrConfig = ConfigState | (ShownNode & { readonly config_id: null });
