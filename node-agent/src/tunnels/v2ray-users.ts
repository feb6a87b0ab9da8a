import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readRunFile, replaceRunFile } from '../platform/run-files.ts';
import type { ProxyUser } from './proxy-engine.ts';

/** A user and their seat. Not settled: whether the engine has let them in, or out, is not known. */
export interface SeatedUser extends ProxyUser {
  readonly seat: number;
  readonly isSettled: boolean;
}

/**
 * Who is in the engine, which cannot say it: in memory (/run) and private, for the next agent. A seat is used once, because a connection that a former user
 * has kept open still has the name of theirs.
 */
export interface V2rayUsers {
  list(): SeatedUser[];
  find(name: string): SeatedUser | undefined;
  write(user: SeatedUser): void;
  remove(name: string): void;
  /** The next free seat. */
  takeSeat(): number;
  takenSeats(): number;
  /** The engine starts anew. */
  freeSeats(): void;
  /** The files have gone. */
  forget(): void;
}

const NAME = /^[0-9a-f]{32}$/;

export function v2rayUsers(home: string): V2rayUsers {
  const [directory, seatPath] = [join(home, 'users'), join(home, 'next-seat')];
  /** What is there, once it has been read: nobody else writes it. */
  let known: Map<string, SeatedUser> | undefined;
  const read = (name: string): [string, SeatedUser][] => {
    const text = NAME.test(name) ? readRunFile(join(directory, name)) : undefined;
    return text === undefined ? [] : [[name, { name, ...(JSON.parse(text) as Omit<SeatedUser, 'name'>) }]];
  };
  const takenSeats = () => Number(readRunFile(seatPath) ?? 0);
  const load = () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    known ??= new Map(readdirSync(directory).flatMap(read));
    return known;
  };
  return {
    list: () => [...load().values()],
    find: (name) => load().get(name),
    write: (user) => {
      const { name, ...rest } = user;
      if (!NAME.test(name)) throw new Error('this device cannot be let in: its name is invalid');
      load().set(name, user);
      replaceRunFile(join(directory, name), JSON.stringify(rest));
    },
    remove: (name) => {
      if (load().delete(name)) rmSync(join(directory, name), { force: true });
    },
    takenSeats,
    takeSeat: () => {
      const seat = takenSeats();
      replaceRunFile(seatPath, String(seat + 1));
      return seat;
    },
    freeSeats: () => rmSync(seatPath, { force: true }),
    forget: () => {
      known = undefined;
    },
  };
}
