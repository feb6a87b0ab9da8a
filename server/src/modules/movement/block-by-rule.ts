import type { Actor, Audit } from '../../platform/audit.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, type Executor, inTransaction } from '../../platform/database.ts';
import type { Log } from '../../platform/log.ts';
import { getSetting } from '../../platform/settings.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import { relayState } from '../fleet/choose-entries.ts';
import { blockEntry, listBlocks } from '../fleet/entries.ts';
import { listNodes } from '../fleet/nodes.ts';
import { listRelays } from '../fleet/relays.ts';
import { isOnline } from '../fleet/rules.ts';
import { readEntryCells } from '../reach/read-entries.ts';
import { decideBlocks, type EntryState, SLOTS } from './rules.ts';
import { blockByRule } from './settings.ts';
import { replaceSuspects, selectSuspects } from './tables.ts';

export interface RuleDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly log: Log;
}

/** The audit names the rule where it names the system's user of a command. */
const actor: Actor = { kind: 'command-line', systemUser: 'rule' };

/**
 * Takes out entries that look blocked, as somebody at the command line would, and notes those that look so and stay. What it takes out it
 * never puts back.
 */
export async function blockByTheRule(deps: RuleDeps): Promise<void> {
  const now = deps.clock.now();
  const isOn = await getSetting(deps.db, blockByRule);
  const { block, keep } = decideBlocks(
    await readEntryStates(deps.db, now),
    await readEntryCells(deps.db, SLOTS, now),
    isOn,
  );
  for (const { nodeId, relayId, evidence } of block) {
    try {
      await blockEntry(deps, { actor, entry: { nodeId, relayId } }, { ...evidence });
      deps.log.warn({ node: nodeId, relay: relayId, evidence }, 'the rule took out an entry that looks blocked');
    } catch (error) {
      // Somebody was faster, or the entry is no more.
      if (!(error instanceof OperatorMistake)) throw error;
    }
  }
  await inTransaction(deps.db, (tx) => replaceSuspects(tx, keep, now));
}

async function readEntryStates(db: Executor, now: Date): Promise<EntryState[]> {
  const [nodes, relays, blocks] = [await listNodes(db), await listRelays(db), await listBlocks(db)];
  return nodes
    .filter(({ status, address }) => status !== 'revoked' && address !== null)
    .flatMap((node) =>
      [null, ...relays.filter(({ node_id }) => node_id === node.id)].map((relay) => {
        const relayId = relay?.id ?? null;
        const block = blocks.find(({ node_id, relay_id }) => node_id === node.id && relay_id === relayId);
        const works = relay === null || ([4, 6] as const).some((family) => relayState(relay, family) === 'up');
        return {
          ...{ nodeId: node.id, relayId, isUp: works && isOnline(node, now) },
          ...{ isOut: block !== undefined, isOutByRule: block?.by_rule ?? false },
        };
      }),
    );
}

/** The names of entries that the rule has taken out, and of those that look blocked and stay. */
export async function listRuleFindings(
  db: Executor,
): Promise<{ readonly out: readonly string[]; readonly kept: readonly string[] }> {
  const out = (await listBlocks(db)).filter(({ by_rule }) => by_rule);
  const kept = await selectSuspects(db);
  if (out.length + kept.length === 0) return { out: [], kept: [] };
  const [nodes, relays] = [await listNodes(db), await listRelays(db)];
  const nameOf = ({ node_id, relay_id }: { readonly node_id: string; readonly relay_id: string | null }) =>
    [...nodes, ...relays].find(({ id }) => id === (relay_id ?? node_id))?.name ?? '';
  return { out: out.map(nameOf), kept: kept.map(nameOf) };
}
