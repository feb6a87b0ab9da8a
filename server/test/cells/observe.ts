import pg from 'pg';
import { type Cell, type CellName, CLEARING, type Outcome, SOURCE } from './cell.ts';

/** What the books of both cells say at a moment in which neither writes. Read over connections that no test breaks. */
export interface Observer {
  /** Everything that is wrong with the transfers `ids` and the money of `userIds`, in sentences; `totalToman` is what those users had. */
  findFaults(of: { ids: readonly string[]; userIds: readonly string[]; totalToman: bigint }): Promise<string[]>;
  /** What each of them has in the wallet. */
  walletsOf(userIds: readonly string[]): Promise<Map<string, number>>;
  /** How each transfer stands in the cell that sent it. */
  statesOf(ids: readonly string[]): Promise<Map<string, State>>;
  close(): Promise<void>;
}

export type State = 'sent' | 'arrived' | 'returned';

interface Sent {
  readonly id: string;
  readonly to: CellName;
  readonly toman: string;
  readonly state: State;
}

interface Seen {
  readonly walletsToman: string;
  readonly clearingToman: string;
  readonly outbox: Sent[];
  readonly inbox: { id: string; outcome: Outcome }[];
  /** Of each transfer what this cell has booked: `<id> send`. */
  readonly booked: string[];
}

export async function openObserver(cells: Readonly<Record<CellName, Cell>>, urls: Readonly<Record<CellName, string>>) {
  const names = Object.keys(cells) as CellName[];
  const clients = new Map<CellName, pg.Client>();
  for (const name of names) {
    const client = new pg.Client(urls[name]);
    await client.connect();
    clients.set(name, client);
  }
  const read = async (name: CellName, text: string, values: unknown[]) =>
    (await (clients.get(name) as pg.Client).query(text, values)).rows;

  async function see(name: CellName, ids: readonly string[], userIds: readonly string[]): Promise<Seen> {
    const [row] = await read(name, SEEN, [ids, userIds, CLEARING, SOURCE]);
    return row as Seen;
  }

  const observer: Observer = {
    async findFaults({ ids, userIds, totalToman }) {
      const [north, south] = [await see('north', ids, userIds), await see('south', ids, userIds)];
      const cell = { north, south };
      let underWay = 0n;
      const faults: string[] = [];
      for (const name of names) {
        for (const sent of cell[name].outbox) {
          const transfer = follow(sent, cell[name], cell[sent.to]);
          faults.push(...transfer.faults);
          underWay += transfer.isUnderWay ? BigInt(sent.toman) : 0n;
        }
      }
      const wallets = BigInt(north.walletsToman) + BigInt(south.walletsToman);
      if (wallets + underWay !== totalToman)
        faults.push(`${wallets} in wallets and ${underWay} under way are not ${totalToman}`);
      const clearing = BigInt(north.clearingToman) + BigInt(south.clearingToman);
      if (clearing !== underWay)
        faults.push(`the clearing accounts together have ${clearing}, under way are ${underWay}`);
      const known = new Set([...north.outbox, ...south.outbox].map(({ id }) => id));
      for (const { id } of [...north.inbox, ...south.inbox]) if (!known.has(id)) faults.push(`${id} came from nowhere`);
      return faults;
    },
    async walletsOf(userIds) {
      const rows = await Promise.all(names.map((name) => read(name, WALLETS, [userIds])));
      return new Map(rows.flat().map(({ id, toman }) => [id as string, Number(toman)]));
    },
    async statesOf(ids) {
      const rows = await Promise.all(names.map((name) => read(name, STATES, [ids])));
      return new Map(rows.flat().map(({ id, state }) => [id as string, state as State]));
    },
    async close() {
      for (const client of clients.values()) await client.end();
    },
  };
  return observer;
}

/** Whether a transfer is in neither wallet, and what of it contradicts what both cells have booked. */
function follow({ id, state }: Sent, from: Seen, to: Seen): { isUnderWay: boolean; faults: string[] } {
  const outcome = to.inbox.find((one) => one.id === id)?.outcome;
  const count = (seen: Seen, purpose: string) => seen.booked.filter((one) => one === `${id} ${purpose}`).length;
  const [left, arrived, returned] = [count(from, 'send'), count(to, 'arrive'), count(from, 'return')];
  const wrong = [
    [left !== 1, `left ${left} times`],
    [arrived + returned > 1, `arrived ${arrived} times and came back ${returned} times`],
    [arrived !== (outcome === 'accepted' ? 1 : 0), `arrived ${arrived} times and is ${outcome ?? 'unknown'} there`],
    [returned !== (state === 'returned' ? 1 : 0), `came back ${returned} times and is ${state} here`],
    [state === 'arrived' && outcome !== 'accepted', `is called arrived here, and is ${outcome ?? 'unknown'} there`],
    [state === 'returned' && outcome !== 'refused', `has come back, and is ${outcome ?? 'unknown'} there`],
  ] as const;
  const faults = wrong.flatMap(([is, what]) => (is ? [`${id} ${what}`] : []));
  return { isUnderWay: state === 'sent' && outcome !== 'accepted', faults };
}

const SEEN = `
  SELECT (SELECT coalesce(sum(balance), 0) FROM ledger_account WHERE owner_id = ANY ($2::uuid[])) AS "walletsToman",
    (SELECT coalesce(sum(amount), 0) FROM ledger_entry WHERE account_id = $3 AND account_version IS NULL) AS "clearingToman",
    (SELECT coalesce(json_agg(json_build_object('id', id, 'to', to_cell, 'toman', amount_toman::text, 'state', state)), '[]')
      FROM cell_outbox WHERE id = ANY ($1::uuid[])) AS outbox,
    (SELECT coalesce(json_agg(json_build_object('id', id, 'outcome', outcome)), '[]') FROM cell_inbox WHERE id = ANY ($1::uuid[])) AS inbox,
    (SELECT coalesce(json_agg(source_id || ' ' || purpose), '[]') FROM ledger_transfer
      WHERE source_type = $4 AND source_id = ANY ($1::text[])) AS booked`;
const WALLETS = `SELECT owner_id AS id, balance AS toman FROM ledger_account WHERE owner_id = ANY ($1::uuid[])`;
const STATES = `SELECT id, state FROM cell_outbox WHERE id = ANY ($1::uuid[])`;
