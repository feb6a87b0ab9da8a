import type { AnswerMessage, CellName, TransferMessage } from './cell.ts';
import { cellNames, deliver, type TwoCells } from './two-cells.ts';

type Message = TransferMessage | AnswerMessage;

/** What is between the cells: it loses, repeats and reorders messages, as `next` has it, and a cell may be away. */
export interface Network {
  isHere(cell: CellName): boolean;
  /** A cell goes away, unless the other one is. */
  leave(cell: CellName): void;
  comeBack(): void;
  /** The cell sends what has no answer yet, or a part of it. */
  relay(cell: CellName): Promise<void>;
  /** Handing over one message, whichever; or two copies of it at once, as when a sender has lost patience. */
  takeOne(): (() => Promise<void>)[];
  /** From now on every message arrives; until there is none and nothing is without an answer. */
  empty(): Promise<void>;
}

export function openNetwork(two: TwoCells, next: () => number): Network {
  let messages: Message[] = [];
  const away = new Set<CellName>();
  const isHere = (cell: CellName) => !away.has(cell);

  async function relay(cell: CellName): Promise<void> {
    const waiting = await two.cells[cell].listUnanswered();
    messages.push(...waiting.filter(() => next() < 0.5));
  }

  async function carry(message: Message): Promise<void> {
    if (!isHere(message.to)) return;
    const answer = await deliver(two, message);
    if (answer) messages.push(answer);
  }

  async function isUnderWay(): Promise<boolean> {
    for (const cell of cellNames) if ((await two.cells[cell].listUnanswered()).length > 0) return true;
    return messages.length > 0;
  }

  return {
    isHere,
    leave(cell) {
      if (away.size === 0) away.add(cell);
    },
    comeBack: () => away.clear(),
    relay,
    takeOne() {
      // The newest as often as any: otherwise answers would hardly be found among copies of what they answer.
      const at = next() < 0.5 ? messages.length - 1 : Math.floor(next() * messages.length);
      const [message] = messages.length === 0 ? [] : messages.splice(at, 1);
      if (!message) return [];
      // It arrives again, and later.
      if (next() < 0.2) messages.push(message);
      if (next() < 0.1) return [];
      const copies = next() < 0.25 ? 2 : 1;
      return Array.from({ length: copies }, () => () => carry(message));
    },
    async empty() {
      away.clear();
      while (await isUnderWay()) {
        for (const cell of cellNames) await relay(cell);
        const now = messages.sort(() => next() - 0.5);
        messages = [];
        for (const message of now) await carry(message);
      }
    },
  };
}
