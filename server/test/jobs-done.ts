import { sql } from 'kysely';
import { moneyRunsShort } from '../src/modules/billing/jobs.ts';
import { fundsAdded } from '../src/modules/ledger/jobs.ts';
import { refundRequested } from '../src/modules/payments/jobs.ts';
import { eventually, type TestWorld } from './world.ts';

/** Jobs that a world with `restores: false` does not work on. */
const left = [fundsAdded.name, refundRequested.name, moneyRunsShort.name];

/** Until then jobs of what was done before change what stands: a mail is noted once it was sent. */
export async function jobsDone({ deps }: TestWorld): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`
      SELECT FROM pgboss.job
      WHERE state IN ('created', 'retry', 'active') AND start_after <= now() AND name NOT IN (${sql.join(left)}) LIMIT 1
    `.execute(deps.db);
    return rows.length === 0;
  });
}
