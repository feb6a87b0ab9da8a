import type { Transport } from '@raha/contract/protocols.ts';

/** Attempts and those that got through, in ten minutes. */
export interface Count {
  readonly attempts: number;
  readonly through: number;
}

/** What is counted of one transport at one entry: of one operator's network, or (`network` 0, through a relay) of all together. */
export interface EntryCell {
  readonly nodeId: string;
  readonly relayId: string | null;
  readonly network: number;
  readonly transport: Transport;
  /** The last `SLOTS` ten minutes that are over, oldest first. */
  readonly slots: readonly Count[];
}

export interface EntryState {
  readonly nodeId: string;
  readonly relayId: string | null;
  /** It works, as its node measures it, and the node answers. */
  readonly isUp: boolean;
  readonly isOut: boolean;
  /** It is out, and the rule did it. */
  readonly isOutByRule: boolean;
}

/** What the rule saw. */
export interface Evidence {
  readonly network: number;
  readonly transport: Transport;
  /** Answers stay away, or nothing comes any more. */
  readonly kind: 'unanswered' | 'silent';
  /** Of a hundred attempts how many got through in the last half hour; of a silent one, how many of its usual attempts came. */
  readonly percent: number;
  readonly of: number;
  /** The same at the entry it was compared with. */
  readonly elsewhere: number;
}

export interface Suspect {
  readonly nodeId: string;
  readonly relayId: string | null;
  readonly evidence: Evidence;
}

export interface Verdict {
  readonly block: readonly Suspect[];
  /** They look blocked and stay: the last open one of its server, beyond the share that may be out, or the rule is off. */
  readonly keep: readonly (Suspect & { readonly kept: 'last' | 'share' | 'off' })[];
}

/** Half an hour, that half hour as it was ten minutes ago, and an hour before both by which silence is known. */
export const SLOTS = 10;
const WINDOW = 3;
const USUAL = 6;
/** Fewer attempts in half an hour say nothing. */
const MIN_ATTEMPTS = 50;
/** Blocked is what lets through no more than this of a hundred, while another entry lets through at least that. */
const BLOCKED_PERCENT = 30;
const OPEN_PERCENT = 60;
/** Silent is what gets no more than this of its usual attempts, while another one gets at least that of its own. */
const SILENT_PERCENT = 10;
const BUSY_PERCENT = 50;
/** Of all entries, how many the rule may have taken out at once: one in so many, and one in any case. */
const ONE_OUT_OF = 4;

/**
 * Which entries to take out. Never the last open one of a server, and never more than a quarter of all entries: a rule that is wrong costs
 * choice, and not service. An entry is blocked if it was so both now and ten minutes ago, compared with the best other entry
 * for the same transport on the same network. A relay shows no network, so it must be bad in everything of which enough is known.
 */
export function decideBlocks(entries: readonly EntryState[], cells: readonly EntryCell[], isOn: boolean): Verdict {
  const suspects = entries
    .filter(({ isUp, isOut }) => isUp && !isOut)
    .flatMap((entry) => findEvidence(entry, entries, cells) ?? [])
    .sort((a, b) => gapOf(b) - gapOf(a) || compare(keyOf(a), keyOf(b)));
  const open = new Map<string, number>();
  for (const { nodeId, isUp, isOut } of entries) if (isUp && !isOut) open.set(nodeId, (open.get(nodeId) ?? 0) + 1);
  const most = Math.max(1, Math.floor(entries.length / ONE_OUT_OF));
  let left = most - entries.filter(({ isOutByRule }) => isOutByRule).length;
  const block: Suspect[] = [];
  const keep: Verdict['keep'][number][] = [];
  for (const suspect of suspects) {
    const others = (open.get(suspect.nodeId) ?? 0) - 1;
    const kept = !isOn ? 'off' : others < 1 ? 'last' : left < 1 ? 'share' : undefined;
    if (kept) keep.push({ ...suspect, kept });
    else {
      block.push(suspect);
      open.set(suspect.nodeId, others);
      left -= 1;
    }
  }
  return { block, keep };
}

type Entry = Pick<EntryState, 'nodeId' | 'relayId'>;

function findEvidence(entry: EntryState, entries: readonly EntryState[], cells: readonly EntryCell[]) {
  const own = cells.filter((cell) => keyOf(cell) === keyOf(entry));
  // What is away is another trouble, and its silence proves nothing.
  const up = new Set(entries.filter(({ isUp }) => isUp).map(keyOf));
  const found = own.map((cell) => {
    const others = cells.filter(
      (other) =>
        other.transport === cell.transport &&
        keyOf(other) !== keyOf(cell) &&
        up.has(keyOf(other)) &&
        (cell.network === 0 || other.network === cell.network),
    );
    return { cell, evidence: unanswered(cell, others) ?? silent(cell, others) };
  });
  const bad = found.flatMap(({ evidence }) => evidence ?? []);
  const isSpared = entry.relayId !== null && found.some(({ cell, evidence }) => !evidence && isKnown(cell));
  const [worst] = bad.sort((a, b) => b.elsewhere - b.percent - (a.elsewhere - a.percent) || b.of - a.of);
  return worst && !isSpared ? { nodeId: entry.nodeId, relayId: entry.relayId, evidence: worst } : undefined;
}

/** Devices come, and what they are answered does not reach them. */
function unanswered(cell: EntryCell, others: readonly EntryCell[]): Evidence | undefined {
  const judged = [0, 1].map((ago) => {
    const here = shareOf(windowOf(cell.slots, ago));
    const best = Math.max(-1, ...others.map(({ slots }) => shareOf(windowOf(slots, ago)) ?? -1));
    return here !== undefined && here <= BLOCKED_PERCENT && best >= OPEN_PERCENT ? { here, best } : undefined;
  });
  const [now, before] = judged;
  if (!now || !before) return undefined;
  const { network, transport } = cell;
  const { attempts: of } = windowOf(cell.slots, 0);
  return { network, transport, kind: 'unanswered', percent: now.here, of, elsewhere: now.best };
}

/** Devices that came all the time come no more, while they go on coming elsewhere. */
function silent(cell: EntryCell, others: readonly EntryCell[]): Evidence | undefined {
  const judged = [0, 1].map((ago) => {
    const here = activityOf(cell.slots, ago);
    const best = Math.max(-1, ...others.map(({ slots }) => activityOf(slots, ago) ?? -1));
    return here !== undefined && here <= SILENT_PERCENT && best >= BUSY_PERCENT ? { here, best } : undefined;
  });
  const [now, before] = judged;
  if (!now || !before) return undefined;
  const { network, transport } = cell;
  return { network, transport, kind: 'silent', percent: now.here, of: usualOf(cell.slots), elsewhere: now.best };
}

function isKnown({ slots }: EntryCell): boolean {
  return windowOf(slots, 0).attempts >= MIN_ATTEMPTS || usualOf(slots) >= MIN_ATTEMPTS;
}

function windowOf(slots: readonly Count[], ago: number): Count {
  const end = slots.length - ago;
  return sum(slots.slice(Math.max(0, end - WINDOW), end));
}

/** Of a hundred; undefined: too few to say. */
function shareOf({ attempts, through }: Count): number | undefined {
  return attempts < MIN_ATTEMPTS ? undefined : Math.round((100 * Math.min(through, attempts)) / attempts);
}

/** What got through in half an hour, of a hundred that usually do; undefined: usually too few do. */
function activityOf(slots: readonly Count[], ago: number): number | undefined {
  const usual = usualOf(slots);
  return usual < MIN_ATTEMPTS ? undefined : Math.min(100, Math.round((100 * windowOf(slots, ago).through) / usual));
}

/** By the quietest ten minutes of the hour before, three times: a rush, as after a restart, makes nothing usual. */
function usualOf(slots: readonly Count[]): number {
  const before = slots.slice(0, USUAL);
  return before.length < USUAL ? 0 : WINDOW * Math.min(...before.map(({ through }) => through));
}

function sum(counts: readonly Count[]): Count {
  return counts.reduce(
    (total, { attempts, through }) => ({ attempts: total.attempts + attempts, through: total.through + through }),
    { attempts: 0, through: 0 },
  );
}

export function keyOf({ nodeId, relayId }: Entry): string {
  return `${nodeId} ${relayId ?? ''}`;
}

function gapOf({ evidence: { percent, elsewhere } }: Suspect): number {
  return elsewhere - percent;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : 1;
}
