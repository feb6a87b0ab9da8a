import { toWire } from '@raha/contract/money.ts';
import type { RealtimeEvent, realtime } from '@raha/contract/public/realtime.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { getUserAccounts } from '../modules/ledger/user-accounts.ts';
import { listReported } from '../modules/metering/read-usage.ts';
import { findLiveSessions, type SignedInCaller } from '../modules/sessions/caller.ts';
import type { Hint, UserEvent } from '../platform/bus.ts';
import { addSeconds } from '../platform/clock.ts';
import type { Handlers } from '../platform/http/mount.ts';
import type { Deps } from './deps.ts';

interface Stream {
  readonly userId: string;
  readonly sessionId: string;
  readonly reply: FastifyReply;
  /** Nothing is written to it any more. */
  end(): void;
}

const HEARTBEAT_MS = 15_000;
/** A stream ends by itself before the access token is too old, and the panel opens the next one. */
const LIFETIME_MS = 14 * 60_000;

/** Server-sent events (WHATWG HTML, section 9.2) to the open panels of this process, fed by the hints of all processes. */
export function realtimeRoutes(deps: Deps, app: FastifyInstance): Handlers<typeof realtime, SignedInCaller, unknown> {
  const streams = new Set<Stream>();
  const unsubscribe = deps.bus.subscribe((hint) => {
    if (streams.size === 0) return;
    spread(deps, streams, hint).catch((err: unknown) => deps.log.warn({ err }, 'a hint was not passed on'));
  });
  app.addHook('preClose', async () => {
    unsubscribe();
    for (const stream of streams) stream.end();
  });
  return {
    async stream({ caller, reply, request }) {
      reply.hijack();
      reply.raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
        'x-request-id': request.id,
      });
      const heartbeat = setInterval(() => reply.raw.write(': still here\n\n'), HEARTBEAT_MS);
      const lifetime = setTimeout(() => stream.end(), LIFETIME_MS);
      const forget = () => {
        clearInterval(heartbeat);
        clearTimeout(lifetime);
        streams.delete(stream);
      };
      const stream: Stream = {
        userId: caller.user.id,
        sessionId: caller.sessionId,
        reply,
        end() {
          forget();
          reply.raw.end();
        },
      };
      reply.raw.on('close', forget);
      streams.add(stream);
      write(stream, { type: 'hello' });
      // Its end may have been announced since the request was let in, when nobody listened for it yet.
      await endDead(deps, [stream]);
      return reply;
    },
  };
}

async function spread(deps: Deps, streams: ReadonlySet<Stream>, hint: Hint): Promise<void> {
  // Meanwhile nothing was heard: who is still signed in looks again at everything.
  if (hint.topic === 'reconnected') {
    await endDead(deps, [...streams]);
    for (const stream of streams) write(stream, { type: 'hello' });
  }
  if (hint.topic === 'user') {
    const mine = [...streams].filter((stream) => stream.userId === hint.userId);
    if (mine.length === 0) return;
    const event = await toRealtime(deps, hint.userId, hint.event);
    for (const stream of mine) {
      if (hint.event.type === 'session-ended' && hint.event.sessionId !== stream.sessionId) continue;
      write(stream, event);
      if (hint.event.type === 'session-ended') stream.end();
    }
  }
  if (hint.topic === 'node-report') await spreadUsage(deps, streams, hint.nodeId);
}

/** Only people who are looking are asked about: the cost follows the open panels, not the traffic. */
async function spreadUsage(deps: Deps, streams: ReadonlySet<Stream>, nodeId: string): Promise<void> {
  const userIds = [...new Set([...streams].map((stream) => stream.userId))];
  const reported = await listReported(deps.db, nodeId, userIds, addSeconds(deps.clock.now(), -10));
  const balances = new Map<string, RealtimeEvent>();
  for (const { user_id, config_id } of reported) {
    const balance = balances.get(user_id) ?? (await toRealtime(deps, user_id, { type: 'balance' }));
    const isFirst = !balances.has(user_id);
    balances.set(user_id, balance);
    for (const stream of streams) {
      if (stream.userId !== user_id) continue;
      write(stream, { type: 'usage', configId: config_id });
      if (isFirst) write(stream, balance);
    }
  }
}

async function toRealtime(deps: Deps, userId: string, event: UserEvent): Promise<RealtimeEvent> {
  if (event.type === 'session-ended') return { type: 'session-ended' };
  if (event.type !== 'balance') return event;
  const accounts = await getUserAccounts(deps.db, userId);
  return { type: 'balance', balance: toWire(accounts.walletToman + accounts.leaseToman) };
}

/** Who is signed out hears that, and nothing more. */
async function endDead(deps: Deps, streams: readonly Stream[]): Promise<void> {
  const ids = streams.map(({ sessionId }) => sessionId);
  const live = await findLiveSessions(deps.db, ids, deps.clock.now());
  for (const stream of streams) {
    if (live.has(stream.sessionId)) continue;
    write(stream, { type: 'session-ended' });
    stream.end();
  }
}

function write(stream: Stream, event: RealtimeEvent): void {
  // Ended while something was looked up for it.
  if (stream.reply.raw.writableEnded) return;
  stream.reply.raw.write(`data: ${JSON.stringify(event)}\n\n`);
}
