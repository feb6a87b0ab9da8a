import { beforeEach, onTestFailed } from 'vitest';

/** The tests of a journey are steps: after a failure the others would only show its consequences. */
export function stopAtFirstFailure(): void {
  let failed: string | undefined;
  beforeEach(({ task }) => {
    if (failed) throw new Error(`not tried, because a step before failed: ${failed}`);
    onTestFailed(() => {
      failed ??= task.name;
    });
  });
}
