import type { Clock } from '../../platform/clock.ts';
import type { Config } from '../../platform/config.ts';
import type { Database } from '../../platform/database.ts';
import type { Vault } from '../../platform/sealed.ts';

/** The result of a check: one sentence, which says what to do if anything must be done. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'problem';
  readonly sentence: string;
}

export interface DoctorContext {
  readonly config: Config;
  readonly clock: Clock;
  readonly vault: Vault;
  /** Undefined if the database cannot be reached. */
  readonly db: Database | undefined;
  /** Free and total bytes of the disk that a directory is on. */
  readonly readDisk: (directory: string) => Promise<{ readonly freeBytes: number; readonly totalBytes: number }>;
  /** Certificates (PEM) that the doctor accepts in addition to the system's; only for tests. */
  readonly extraCertificates?: string;
}

export interface Check {
  readonly name: string;
  run(context: DoctorContext): Promise<readonly Finding[]>;
}

export const ok = (sentence: string): Finding => ({ level: 'ok', sentence });
export const warning = (sentence: string): Finding => ({ level: 'warning', sentence });
export const problem = (sentence: string): Finding => ({ level: 'problem', sentence });
