import { beforeEach, expect, onTestFailed, test } from 'vitest';
import type { Reader } from './browser.ts';

/**
 * The tests of a journey are steps: after a failure the others would only show its consequences. `output`: what a program has printed, the end of
 * which is shown with the failure.
 */
export function stopAtFirstFailure(output?: () => string | undefined): void {
  let failed: string | undefined;
  beforeEach(({ task }) => {
    if (failed) throw new Error(`not tried, because a step before failed: ${failed}`);
    onTestFailed(() => {
      failed = task.name;
      const printed = output?.();
      if (printed) console.error(`What was printed last:\n${printed.slice(-4_000)}`);
    });
  });
}

/** The last step: no page complained on the way, and axe found nothing where it looked. Without it nobody sees what it found. */
export function expectNoComplaints(readers: () => readonly (Reader | undefined)[]): void {
  test('nothing on the way complained', () => {
    expect(readers().flatMap((reader) => reader?.complaints ?? [])).toEqual([]);
  });
}
