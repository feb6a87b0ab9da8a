import { openDatabase, readSessionFacts } from '../../platform/database.ts';
import { type DoctorContext, type Finding, ok, problem, warning } from './finding.ts';

/** Above this PostgreSQL reads whole tables where an index would do. */
const PAGE_COST = 2;

/** What a server asks of its own sessions PgBouncer has to ask of those that it shares. */
export async function checkPool({ config }: Pick<DoctorContext, 'config'>): Promise<Finding[]> {
  if (config.poolUrl === undefined) return [];
  const db = openDatabase(config.poolUrl, { max: 1, pooled: true, connectMs: config.databaseTimes.connectMs });
  try {
    const { limitMs, pageCost } = await readSessionFacts(db);
    const findings: Finding[] = [];
    if (limitMs === 0) {
      findings.push(problem('No statement has a limit behind PgBouncer: set statement_timeout in its connect_query.'));
    }
    if (pageCost > PAGE_COST) {
      findings.push(warning(`random_page_cost is ${pageCost} behind PgBouncer: set 1.1 in its connect_query.`));
    }
    return findings.length > 0 ? findings : [ok('PgBouncer answers; statements behind it have a limit.')];
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return [problem(`The PgBouncer at DATABASE_POOL_URL does not answer: ${why}.`)];
  } finally {
    await db.destroy();
  }
}
