/** Runs one task at a time, in the order of the calls, whether the earlier ones succeeded or failed. */
export interface Mutex {
  runExclusive<T>(task: () => Promise<T>): Promise<T>;
}

export function createMutex(): Mutex {
  let last: Promise<unknown> = Promise.resolve();
  return {
    runExclusive: (task) => {
      const done = last.then(task);
      last = done.catch(() => {});
      return done;
    },
  };
}
