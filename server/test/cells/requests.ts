import { transferMoney } from '../../src/modules/wallet/transfer-money.ts';
import { Refusal } from '../../src/platform/refusal.ts';
import { confirmed } from '../money/bench.ts';
import type { CellName } from './cell.ts';
import { type CellUser, START_TOMAN, type TwoCells } from './two-cells.ts';

/** What users ask their cell for, and what their wallets should have for it. */
export interface Requests {
  /** A new transfer, inside a cell or to the other, that `next` thinks of; undefined if its sender's cell is away. */
  order(isHere: (cell: CellName) => boolean): Request | undefined;
  /** As a client: a refusal is an answer, and a broken connection is none. */
  ask(request: Request): Promise<void>;
  readonly unanswered: ReadonlySet<Request>;
  /** Of all transfers between cells. */
  readonly ids: readonly string[];
  /** Once nothing is under way. Throws if what was answered is not in the books, or the other way round. */
  expectWallets(): Promise<{ wallets: Map<string, number>; arrived: number; returned: number }>;
}

export interface Request {
  readonly from: CellUser;
  /** Absent: nobody has the address. */
  readonly to: CellUser | undefined;
  readonly amountToman: number;
  /** Of a transfer between cells. */
  readonly id?: string;
  run(): Promise<unknown>;
  isDone: boolean;
}

/** Anything else is a fault. */
const refusals = new Set(['insufficient_balance', 'account_suspended', 'transfer_recipient_unknown']);

export function openRequests(two: TwoCells, next: () => number, users: readonly CellUser[]): Requests {
  const any = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const requests: Request[] = [];
  const unanswered = new Set<Request>();
  const idsOf = () => requests.flatMap(({ id }) => (id ? [id] : []));
  /** The front knows it, and its cell no longer does. */
  const gone = `gone-${two.newId()}@north.example`;
  two.front.register(gone, 'north');

  return {
    unanswered,
    get ids() {
      return idsOf();
    },
    order(isHere) {
      const from = any(users);
      const to = next() < 0.1 ? undefined : any(users.filter((user) => user !== from));
      const toEmail = to?.email ?? gone;
      const cell = two.front.cellOf(toEmail);
      if (!isHere(from.cell) || !cell) return undefined;
      const amountToman = 1_000 + Math.floor(next() * START_TOMAN * 0.4);
      const id = two.newId();
      const order = { fromUserId: from.id, toEmail, amountToman };
      const idempotent = { userId: from.id, key: id, requestHash: id };
      const home = two.cells[from.cell];
      const isInside = cell === from.cell;
      const request: Request = {
        ...{ from, to, amountToman, isDone: false },
        ...(isInside ? {} : { id }),
        run: () =>
          isInside
            ? transferMoney(home.world.deps, { ...order, idempotent, ...confirmed })
            : home.send({ ...order, id, to: cell }),
      };
      requests.push(request);
      return request;
    },
    async ask(request) {
      unanswered.add(request);
      try {
        await request.run();
        request.isDone = true;
      } catch (error) {
        if (!(error instanceof Refusal && refusals.has(error.code))) throw error;
      }
      unanswered.delete(request);
    },
    async expectWallets() {
      const wallets = new Map(users.map(({ id }) => [id, START_TOMAN]));
      const add = ({ id }: CellUser, toman: number) => wallets.set(id, (wallets.get(id) as number) + toman);
      const states = await two.observer.statesOf(idsOf());
      const count = { arrived: 0, returned: 0 };
      for (const { id, from, to, amountToman, isDone } of requests) {
        const state = id === undefined ? undefined : states.get(id);
        if (id !== undefined && isDone !== (state !== undefined))
          throw new Error(`${id}: ${state}, answered ${isDone}`);
        if (state === 'arrived' || state === 'returned') count[state] += 1;
        if (!isDone || state === 'returned') continue;
        add(from, -amountToman);
        if (!to) throw new Error(`${id} arrived, and nobody has the address`);
        add(to, amountToman);
      }
      return { wallets, ...count };
    },
  };
}
