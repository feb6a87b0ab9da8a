import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ProofState } from '../modules/ledger/proofs.ts';

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
  const lastProof = new Gauge({
    name: 'ledger_last_proof_timestamp_seconds',
    help: 'When what is new in the ledger was last proved, whatever it found; 0: never. Older than five minutes: no worker proves',
    registers: [registry],
  });
  const wholeProof = new Gauge({
    name: 'ledger_last_whole_proof_timestamp_seconds',
    help: 'When every month of the ledger had last been proved and held; 0: never',
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
    showProofs(state: ProofState) {
      violations.set(state.violations);
      lastProof.set((state.lastAt?.getTime() ?? 0) / 1_000);
      wholeProof.set((state.wholeAt?.getTime() ?? 0) / 1_000);
    },
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
