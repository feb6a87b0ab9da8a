import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const root = join(import.meta.dirname, '..');
/**
 * Seconds that the longest files took in a whole run on two cores. A file that is not named here takes little; one whose time has
 * changed only ends a run a little later.
 */
const known: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('./longest-tests.json', import.meta.url), 'utf8'),
);

/**
 * Begins with the files that take longest, so that no worker is left alone with one of them at the end. Vitest itself knows that only
 * where it has run before, and takes the largest file for the longest elsewhere.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const secondsOf = ({ moduleId }: TestSpecification) => known[relative(root, moduleId)] ?? 0;
    return sorted.toSorted((a, b) =>
      a.project.name === b.project.name ? secondsOf(b) - secondsOf(a) : sorted.indexOf(a) - sorted.indexOf(b),
    );
  }
}
