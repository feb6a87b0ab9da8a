/** Ends the current task, so that the browser can handle input before the next one. */
export function yieldToMain(): Promise<void> {
  return new Promise((next) => setTimeout(next));
}

/**
 * Modules imported after this one are evaluated in a task of their own: on a slow phone, evaluating the whole program at
 * once would block input for a quarter of a second.
 */
await yieldToMain();
