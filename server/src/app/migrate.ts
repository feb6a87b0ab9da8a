import { installJobs } from '../platform/jobs.ts';
import { migrateSchema } from '../platform/migrate.ts';
import { allJobs } from './work.ts';

/** Migrates a database to the newest schema, or to that of an earlier migration, and creates the queues of all jobs. */
export async function migrate(url: string, options: { readonly to?: string } = {}): Promise<void> {
  await migrateSchema(url, options);
  await installJobs(url, allJobs);
}
