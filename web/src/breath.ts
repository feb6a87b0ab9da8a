/** Ends the task: what follows runs in another, and a touch in between is heard. */
export function nextTask(): Promise<void> {
  return new Promise((next) => setTimeout(next));
}

/**
 * What is imported after this is evaluated in a task of its own: on a slow phone the whole program at once would be deaf
 * to touches for a quarter of a second.
 */
await nextTask();
