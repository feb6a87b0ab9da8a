/** Runs each work when all before it are done, however they ended. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

export function createTurns(): Turns {
  let turn: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = turn.then(work);
    turn = done.catch(() => {});
    return done;
  };
}
