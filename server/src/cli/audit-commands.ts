import { checkChain, listEntries } from '../modules/audit/audit.ts';
import type { ChainedEntry } from '../modules/audit/chain.ts';
import { type Commands, type Context, type Result, text, UsageError, wholeNumber } from './context.ts';

const MOST = 1_000;
const USUAL = 50;

/** What operators did, and the proof that nobody changed that since. */
export const auditCommands: Commands = {
  'audit list': {
    usage: '[--action …] [--target <kind>:<id>] [--before N] [--count N]',
    flags: ['action', 'target', 'before', 'count'],
    run: list,
  },
  'audit check': { usage: '', run: check },
};

async function list({ db, flags }: Context): Promise<Result> {
  const before =
    flags.before === undefined ? undefined : BigInt(wholeNumber(flags, 'before', 1, Number.MAX_SAFE_INTEGER));
  const action = flags.action === undefined ? undefined : text(flags, 'action');
  const count = flags.count === undefined ? USUAL : wholeNumber(flags, 'count', 1, MOST);
  const entries = await listEntries(db, { before, action, target: targetOf(flags) }, count);
  return {
    data: entries.map(({ chain, number, ...entry }) => ({
      ...entry,
      number: Number(number),
      chain: chain.toString('hex'),
    })),
    lines: entries.length === 0 ? ['No entry.'] : entries.map(lineOf),
    table: {
      head: ['number', 'at', 'actor', 'operator', 'action', 'target', 'reason', 'details', 'changed'],
      rows: entries.map((entry) => [
        ...[
          entry.number,
          entry.at.toISOString(),
          actorOf(entry),
          entry.operator ?? '',
          entry.action,
          namedTarget(entry),
        ],
        ...[entry.reason ?? '', JSON.stringify(entry.details), JSON.stringify(entry.changed)],
      ]),
    },
  };
}

async function check({ db, vault }: Context): Promise<Result> {
  const { entries, broken, newest } = await checkChain(db, vault);
  const isWhole = broken.length === 0;
  const sentence = isWhole
    ? `${entries} entries, each as it was written.`
    : `Missing, or not as written: ${broken.slice(0, 100).join(', ')}.`;
  return {
    data: { entries, broken: broken.map(Number), newest: newest ?? null },
    // Entries removed at the end leave no gap. The operator log has this chain, too.
    lines: newest === undefined ? [sentence] : [sentence, `The newest has the chain ${newest}.`],
    exitCode: isWhole ? 0 : 1,
  };
}

function targetOf(flags: Context['flags']): { kind: string; id: string } | undefined {
  if (flags.target === undefined) return undefined;
  const [kind, ...id] = text(flags, 'target').split(':');
  if (!kind || id.length === 0) throw new UsageError('--target takes a kind and an id, such as user:0192….');
  return { kind, id: id.join(':') };
}

function lineOf(entry: ChainedEntry): string {
  const parts = [`${entry.number}  ${entry.at.toISOString()}  ${actorOf(entry)}`, entry.action, namedTarget(entry)];
  const more = { ...(entry.details as object), ...(entry.changed as object) };
  if (Object.keys(more).length > 0) parts.push(JSON.stringify(more));
  if (entry.operator) parts.push(`by ${entry.operator}`);
  if (entry.reason) parts.push(`“${entry.reason}”`);
  return parts.filter((part) => part !== '').join('  ');
}

function actorOf({ actor_kind, actor }: ChainedEntry): string {
  return actor_kind === 'staff' ? `staff ${actor}` : `${actor} (command line)`;
}

function namedTarget({ target_kind, target_id }: ChainedEntry): string {
  return target_kind === null ? '' : `${target_kind}:${target_id}`;
}
