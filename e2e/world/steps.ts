import { beforeEach, onTestFailed } from 'vitest';

/** The tests of a journey are steps: after one that failed, the others would only tell of the consequences. */
export function stopAtFirstFailure(): void {
  let failed: string | undefined;
  beforeEach(({ task }) => {
    if (failed) throw new Error(`not tried, because a step before failed: ${failed}`);
    onTestFailed(() => {
      failed ??= task.name;
    });
  });
}
