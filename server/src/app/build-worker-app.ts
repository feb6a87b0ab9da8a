import type { FastifyInstance } from 'fastify';
import { createHttp } from '../platform/http/create-http.ts';
import type { Deps } from './deps.ts';
import { serveWorkerHealth } from './health.ts';
import { createMetrics } from './metrics.ts';
import type { RunningWork } from './work.ts';

/** What a separate worker serves: `/livez` and `/metrics`, to the same callers as a server. */
export async function buildWorkerApp(deps: Deps, work: Pick<RunningWork, 'isLeading'>): Promise<FastifyInstance> {
  const metrics = createMetrics();
  metrics.showLeader(work.isLeading);
  const app = await createHttp({
    publicUrl: deps.publicUrl,
    log: deps.log,
    clock: deps.clock,
    trustedProxies: deps.config.trustedProxies,
    observe: metrics.observe,
  });
  serveWorkerHealth(app, deps, metrics);
  return app;
}
