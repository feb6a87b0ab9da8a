/**
 * Writes run one after the other; of those that wait, only the newest is made, and all that waited resolve with it.
 */
export function createNewestWrite<T>(store: (value: T) => Promise<void>): (value: T) => Promise<void> {
  let running: Promise<void> | undefined;
  let next: { value: T; done: Promise<void> } | undefined;

  const run = (value: T): Promise<void> => {
    running = store(value).finally(() => {
      running = undefined;
    });
    return running;
  };

  return (value) => {
    if (!running) return run(value);
    if (next) {
      next.value = value;
      return next.done;
    }
    const waiting = { value, done: Promise.resolve() };
    waiting.done = running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return run(waiting.value);
      });
    next = waiting;
    return waiting.done;
  };
}
