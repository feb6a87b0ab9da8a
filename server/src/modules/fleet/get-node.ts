import type { Executor } from '../../platform/database.ts';
import { OperatorMistake } from '../accounts/operator-mistake.ts';
import type { Node } from './nodes.ts';
import { selectNode, selectNodeByName } from './tables.ts';

export async function findNodeByName(db: Executor, name: string): Promise<Node | undefined> {
  return await selectNodeByName(db, name);
}

/** The node of a name that the operator gave. */
export async function getNodeByName(db: Executor, name: string): Promise<Node> {
  const node = await selectNodeByName(db, name);
  if (!node) throw new OperatorMistake('not-found', `There is no node "${name}".`);
  return node;
}

export async function getNode(db: Executor, id: string): Promise<Node> {
  const node = await selectNode(db, id);
  if (!node) throw new OperatorMistake('not-found', `There is no node ${id}.`);
  return node;
}

/** A node that has not been revoked, which is for good. */
export async function getUnrevokedNode(db: Executor, id: string): Promise<Node> {
  const node = await getNode(db, id);
  if (node.status === 'revoked')
    throw new OperatorMistake('conflict', `"${node.name}" is revoked, for good. Add a new node.`);
  return node;
}

/** Refuses to move the configs of node `from` to a node that takes none. */
export async function requireTarget(db: Executor, from: string, movesTo: string | null): Promise<void> {
  if (movesTo === null) return;
  const target = await getNode(db, movesTo);
  if (target.id === from || target.status !== 'active')
    throw new OperatorMistake('conflict', `"${target.name}" takes no configs.`);
}
