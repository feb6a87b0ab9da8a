import { lstatSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the installer leaves the enrolment token: a file, because everybody on a machine reads arguments of processes. */
export interface EnrolmentToken {
  /** Undefined when there is none. */
  read(): string | undefined;
  forget(): Promise<void>;
}

export function createEnrolmentToken(state: string, file = join(state, 'enrolment-token')): EnrolmentToken {
  return {
    read: () => {
      try {
        return readFileSync(file, 'utf8').trim() || undefined;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    forget: async () => {
      // A pipe or the standard input was given by somebody else, and is not ours to remove.
      if (lstatSync(file, { throwIfNoEntry: false })?.isFile()) await rm(file, { force: true });
    },
  };
}
