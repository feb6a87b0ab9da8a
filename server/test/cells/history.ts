import { type BreakAt, withBreak } from '../break-connection.ts';
import { chance } from '../money/bench.ts';
import { openNetwork } from './network.ts';
import { openRequests } from './requests.ts';
import { type CellUser, cellNames, isLost, type TwoCells } from './two-cells.ts';

/** A history of two cells at random: the same for the same seed, but for the order of what happens at once. */
export interface History {
  readonly users: readonly CellUser[];
  /** Of all transfers between cells. */
  readonly ids: readonly string[];
  /** Up to three actions at once, the connection of one of them perhaps broken: whether it was. */
  step(): Promise<boolean>;
  /** Nothing breaks any more, and everybody asks until there is an answer; until nothing is under way. */
  end(): Promise<void>;
  expectWallets(): Promise<{ wallets: Map<string, number>; arrived: number; returned: number }>;
}

const USERS_PER_CELL = 3;
const MOST_AT_ONCE = 3;

export async function beginHistory(two: TwoCells, seed: number): Promise<History> {
  const next = chance(seed);
  const any = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T;
  const users: CellUser[] = [];
  for (const name of cellNames) for (let made = 0; made < USERS_PER_CELL; made += 1) users.push(await two.user(name));
  const network = openNetwork(two, next);
  const requests = openRequests(two, next, users);

  function chooseAction(): (() => Promise<unknown>)[] {
    const dice = next();
    const name = any(cellNames);
    if (dice < 0.3) {
      const request = requests.order(network.isHere);
      return request ? [() => requests.ask(request)] : [];
    }
    if (dice < 0.4) {
      const request = [...requests.unanswered].find(({ from }) => network.isHere(from.cell));
      return request ? [() => requests.ask(request)] : [];
    }
    if (dice < 0.5) return network.isHere(name) ? [() => network.relay(name)] : [];
    if (dice < 0.91) return network.takeOne();
    if (dice < 0.95) {
      const [user, isOpen] = [any(users), next() < 0.6];
      return [() => two.setOpen(user, isOpen)];
    }
    network.leave(name);
    return [];
  }

  return {
    users,
    get ids() {
      return requests.ids;
    },
    async step() {
      if (next() < 0.2) network.comeBack();
      const actions = Array.from({ length: 1 + Math.floor(next() * MOST_AT_ONCE) }, chooseAction).flat();
      const at: BreakAt = next() < 0.5 ? { statement: 1 + Math.floor(next() * 20) } : { commit: 1 };
      const mayBreak = next() < 0.4;
      const errors: unknown[] = [];
      const work = async () => {
        const results = await Promise.allSettled(actions.map((run) => run()));
        for (const result of results) if (result.status === 'rejected') errors.push(result.reason);
      };
      const broken = mayBreak ? await withBreak(at, work) : await work();
      for (const error of errors) if (!broken || !isLost(error)) throw error;
      return Boolean(broken);
    },
    async end() {
      for (const request of requests.unanswered) await requests.ask(request);
      await network.empty();
    },
    expectWallets: () => requests.expectWallets(),
  };
}
