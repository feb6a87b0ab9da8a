import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { findHold } from '../modules/payments/hold.ts';
import { isDirectRequest } from '../platform/http/direct-request.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Deps } from './deps.ts';
import { createFigures } from './figures.ts';
import type { Metrics } from './metrics.ts';
import { seenBy } from './probe.ts';

/**
 * `/livez`: the process responds. `/metrics`: for a scraper. `/readyz`: whether a proxy may send requests here, which ends when the server
 * is told to stop. A database that is away ends it for none: it would end for all servers at once, and people would get an empty page
 * from the proxy instead of ours. `/readyz/database`: whether this process reaches a database that takes writes, and whether payments are
 * held.
 */
export function serveHealth(app: FastifyInstance, deps: Deps, metrics: Metrics): void {
  serveReadiness(app, deps);
  serveWorkerHealth(app, deps, metrics);
}

/** What a worker serves too: `/livez` and `/metrics`. */
export function serveWorkerHealth(app: FastifyInstance, deps: Deps, metrics: Metrics): void {
  app.get('/livez', async (request) => {
    const seen = seenBy(request, deps.vault, deps.clock);
    return { status: 'ok', ...(seen ? { seen } : {}) };
  });
  const figures = createFigures(deps, metrics.registry);
  metrics.showDatabase(() => deps.watch.state() === 'up');
  app.get('/metrics', async (request, reply) => {
    if (!mayReadMetrics(request, deps.config.metricsToken)) throw new Refusal('not_found');
    await figures.refresh();
    return reply.type(metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}

function serveReadiness(app: FastifyInstance, deps: Deps): void {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  app.get('/readyz', async (_request, reply) => {
    if (closing || deps.draining.aborted) return reply.code(503).send({ status: 'closing' });
    return { status: 'ok', database: deps.watch.state() };
  });
  app.get('/readyz/database', async (_request, reply) => {
    const database = await sql`SELECT 1`.execute(deps.db).then(
      () => deps.watch.state(),
      () => 'away',
    );
    const payments = await findHold(deps.db).then(
      (hold) => (hold ? 'held' : 'open'),
      () => 'unknown',
    );
    return reply.code(database === 'up' ? 200 : 503).send({ database, payments });
  });
}

/** With a token, its bearer; without one, programs on this machine. */
function mayReadMetrics(request: FastifyRequest, token: string | undefined): boolean {
  if (token === undefined) return isDirectRequest(request);
  // Of equal length, so that the time of the comparison tells nothing.
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(request.headers.authorization ?? ''), hash(`Bearer ${token}`));
}
