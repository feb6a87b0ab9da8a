import type { TableRetention } from '../../platform/retention.ts';

export const fleetRetention: TableRetention = {
  node: { ever: 'usage and the books name the server' },
  node_enrolment: { until: 'the server is enrolled anew; a used one stays with the server' },
  node_presence: { ever: 'a row for each server' },
  node_epoch: { ever: 'a row for each start of an agent: a report of an old epoch may come late, or twice' },
  free_slot: { until: 'a config gets the slot' },
  node_certificate_authority: { ever: 'a row for each server' },
  node_certificate: { ever: 'a row for each server and protocol' },
  entry_block: { ever: 'a row for each time that an entry of a server was blocked' },
  entry_name: { ever: 'a row for each server' },
  relay: { until: 'the operator removes it' },
  node_anomaly: { until: 'the operator has seen it' },
};
