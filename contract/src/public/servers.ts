import * as z from 'zod/mini';
import { defineEndpoint } from '../endpoint.ts';
import { bytes, id, idParams, instant, pagination, paging, wrapped } from '../shapes.ts';
import { location, server } from './configs.ts';

/** The state of a server, measured at this moment. */
export const serverTest = z.object({
  server,
  /** False when it did not answer in time. */
  reachable: z.boolean(),
  /** Milliseconds from our probe to the node's next poll: the round trip between us and the node, not between you and it. */
  answerMs: z.nullable(z.int()),
  testedAt: instant,
});

/** A period in which a device was connected. Its address is neither known nor kept. */
export const pastConnection = z.object({
  configId: id,
  /** The current name, or the name at deletion. */
  configName: z.string(),
  server: z.object({ id, name: z.string(), location }),
  startedAt: instant,
  /** Null while the device is connected. */
  endedAt: z.nullable(instant),
  /** Seconds. */
  duration: z.int(),
  bytes,
});
export type PastConnection = z.output<typeof pastConnection>;

export const servers = {
  getServer: defineEndpoint({
    method: 'GET',
    path: '/servers/{id}',
    caller: 'user',
    summary: 'One server',
    params: idParams,
    response: wrapped(z.object({ server })),
  }),
  testServer: defineEndpoint({
    method: 'POST',
    path: '/servers/{id}/test',
    caller: 'user',
    summary: 'Probe a server and wait for its answer; however many users ask, it is probed once in five seconds',
    params: idParams,
    response: wrapped(serverTest),
  }),
  getStatsOfServer: defineEndpoint({
    method: 'GET',
    path: '/servers/{id}/stats',
    caller: 'user',
    summary: 'Load, round trip and devices of a server, and what the user has on it',
    params: idParams,
    response: wrapped(
      z.object({
        server,
        seenAt: z.nullable(instant),
        /** When the round trip was measured last. */
        pingedAt: z.nullable(instant),
        connectedDevices: z.int(),
        yours: z.object({
          configs: z.int(),
          connected: z.int(),
          /** Over all time, of your existing configs. */
          traffic: bytes,
        }),
      }),
    ),
  }),
  testConnection: defineEndpoint({
    method: 'POST',
    path: '/connection/test',
    caller: 'user',
    summary: 'The same test of a server, and how your devices on it are connected',
    body: z.strictObject({ serverId: z.uuid('fill_all') }),
    response: wrapped(
      z.extend(serverTest, {
        yours: z.array(
          z.object({
            configId: id,
            connected: z.boolean(),
            /** Milliseconds from the server to the device; null when it does not answer. */
            ping: z.nullable(z.number()),
          }),
        ),
      }),
    ),
  }),
  listConnections: defineEndpoint({
    method: 'GET',
    path: '/connection/history',
    caller: 'user',
    summary: 'When devices were connected and what passed, newest first; kept for 90 days, without any client address',
    query: paging,
    response: wrapped(z.object({ connections: z.array(pastConnection), pagination })),
  }),
};
