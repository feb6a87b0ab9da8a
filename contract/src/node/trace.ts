import * as z from 'zod/mini';
import { limits } from '../limits.ts';
import { id, tracePort, traceProtocols } from '../shapes.ts';

/**
 * Which config uses a port of the node towards the internet at this moment (decision 117)? It comes with a long poll, is
 * answered by `answerTrace`, and is kept nowhere. The same question may come again until it is answered.
 */
export const traceQuestion = z.object({
  id,
  /** Of the exit address: the node may have one of each. */
  family: z.literal([4, 6]),
  protocol: z.enum(traceProtocols),
  /** The port from which the connection leaves the node. */
  port: tracePort,
  /** The port to which it goes. Absent: any. Several configs may leave from one port, to different places. */
  remotePort: z.optional(tracePort),
});
export type TraceQuestion = z.output<typeof traceQuestion>;

export const traceAnswer = z.discriminatedUnion('kind', [
  /** No config's connection uses the port. */
  z.object({ kind: z.literal('unused') }),
  z.object({ kind: z.literal('config'), config: id }),
  /** It cannot be told whose the connection is: so many configs use the port. */
  z.object({ kind: z.literal('several'), configs: z.int().check(z.gte(2), z.lte(limits.node.addressesPerNode)) }),
  /** The node could not read its table of connections. */
  z.object({ kind: z.literal('unable') }),
]);
export type TraceAnswer = z.output<typeof traceAnswer>;
