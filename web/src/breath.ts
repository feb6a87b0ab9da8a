export {};

/**
 * What is imported after this is evaluated in a task of its own: on a slow phone the whole program at once would be deaf
 * to touches for a quarter of a second.
 */
await new Promise((next) => setTimeout(next));
