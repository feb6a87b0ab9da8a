import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { transports } from '../protocols.ts';
import { autonomousSystem, done, instant, wrapped } from '../shapes.ts';

/** The network of an operator, as users know it. */
export const reachOperator = z.object({ id: autonomousSystem, fa: z.string(), en: z.string() });
export type NetworkOperator = z.output<typeof reachOperator>;

const port = z.int().check(z.gte(1), z.lte(65_535));

export const reachFigure = z.object({
  transport: z.enum(transports),
  /** One of a server's `otherPorts`; null: the usual one. */
  port: z.nullable(port),
  /** Of a hundred attempts, how many connected. */
  percent: z.int(),
  /** From how many attempts or answers it was computed. */
  of: z.int(),
  /** What servers counted, or what users answered in their panels. */
  source: z.enum(['servers', 'answers']),
  /** The end of the hour in which it was measured. */
  measuredAt: instant,
});
export type ReachFigure = z.output<typeof reachFigure>;

/** How devices get through on the network of the caller's operator. Counted for networks only, never for users. */
export const reachCalls = {
  getReach: defineEndpoint({
    method: 'GET',
    path: '/network/reach',
    caller: 'user',
    summary: "How often each way connected on the network of the caller's operator lately, the best first",
    response: wrapped(
      z.object({
        /** Of the request; null when it is not among `networks`, as behind one of our servers. */
        network: z.nullable(reachOperator),
        networks: z.array(reachOperator),
        figures: z.array(reachFigure),
      }),
    ),
  }),
  answerReach: defineEndpoint({
    method: 'POST',
    path: '/network/reach/answers',
    caller: 'user',
    summary: 'Answer whether a way connected; counted for the network and kept without the user',
    body: z.strictObject({
      transport: z.enum(transports),
      port: z.optional(port),
      connected: z.boolean(),
      /** The network that the user chose, for a request that does not show it. */
      network: z.optional(autonomousSystem),
    }),
    response: done,
  }),
};
