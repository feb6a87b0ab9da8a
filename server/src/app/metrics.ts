import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The metrics of `/metrics` (Prometheus text format). No label identifies a user. */
export function createMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of requests by route, method and status',
    labelNames: ['route', 'method', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10, 30],
    registers: [registry],
  });
  const nodeVersionRefusals = new Counter({
    name: 'node_version_refusals_total',
    help: 'Calls refused because the agent speaks another version of the node protocol',
    labelNames: ['agent'],
    registers: [registry],
  });
  return {
    registry,
    nodeVersionRefusals,
    showDatabase(isUp: () => boolean) {
      new Gauge({
        name: 'database_up',
        help: '1 while the database answers this process and takes writes',
        registers: [registry],
        collect() {
          this.set(isUp() ? 1 : 0);
        },
      });
    },
    showLeader(isLeading: () => boolean) {
      new Gauge({
        name: 'worker_is_leader',
        help: '1 in the worker that runs schedules and proofs, 0 in the others',
        registers: [registry],
        collect() {
          this.set(isLeading() ? 1 : 0);
        },
      });
    },
    observe(route: string, method: string, status: number, seconds: number) {
      requests.observe({ route, method, status: String(status) }, seconds);
    },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
