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
  const violations = new Gauge({
    name: 'ledger_invariant_violations',
    help: 'Invariants of the ledger that are violated; any value above 0 is an emergency',
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
    violations,
    nodeVersionRefusals,
    observe(route: string, method: string, status: number, seconds: number) {
      requests.observe({ route, method, status: String(status) }, seconds);
    },
  };
}

export type Metrics = ReturnType<typeof createMetrics>;
