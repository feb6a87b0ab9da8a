import type { OutgoingHttpHeaders } from 'node:http';
import { limits } from '@raha/contract/limits.ts';
import { toWire } from '@raha/contract/money.ts';
import type { RealtimeEvent, realtime } from '@raha/contract/public/realtime.ts';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { accountChanged } from '../modules/accounts/signals.ts';
import { configChanged } from '../modules/configs/signals.ts';
import { balanceChanged } from '../modules/ledger/signals.ts';
import { getUserAccounts } from '../modules/ledger/user-accounts.ts';
import { connectionChanged, nodeReported } from '../modules/metering/signals.ts';
import { notificationsChanged } from '../modules/notifications/signals.ts';
import { paymentChanged } from '../modules/payments/signals.ts';
import { findLiveSessions, type SignedInCaller } from '../modules/sessions/caller.ts';
import { sessionEnded } from '../modules/sessions/signals.ts';
import type { ChangeSignal } from '../platform/bus.ts';
import type { Handlers } from '../platform/http/mount.ts';
import { Refusal } from '../platform/refusal.ts';
import type { Deps } from './deps.ts';
import { learnNodes, readReportedUsage, type UsagePanel } from './spread-usage.ts';

interface Stream extends UsagePanel {
  readonly sessionId: string;
  readonly reply: FastifyReply;
  /** Nothing has been written since the last heartbeat was due. */
  isQuiet: boolean;
  end(): void;
}

/** By user: what concerns one of them does not look at the panels of all. */
type OpenStreams = ReadonlyMap<string, ReadonlySet<Stream>>;

const streamsOf = (streams: OpenStreams, userId: string) => [...(streams.get(userId) ?? [])];
const allOf = (streams: OpenStreams) => [...streams.values()].flatMap((own) => [...own]);

/** A stream is silent for at most twice as long; panels give it up after 40 seconds. */
const HEARTBEAT_MS = 15_000;
/** A stream is closed before its access token expires, and the panel opens the next one. */
const LIFETIME_MS = (limits.session.accessTokenSeconds - 60) * 1000;

/** Open panels: tabs of one session, and all devices of one account. */
const MAX_PER_SESSION = 10;
const MAX_PER_USER = 30;

/** Server-sent events (WHATWG HTML, section 9.2) to panels connected to this process, from all processes' change signals. */
export function realtimeRoutes(deps: Deps, app: FastifyInstance): Handlers<typeof realtime, SignedInCaller, unknown> {
  const streams = new Map<string, Set<Stream>>();
  const unsubscribes = [...subscribeToAll(deps, streams)];
  const endAll = () => {
    for (const stream of allOf(streams)) stream.end();
  };
  // The panels open their next stream at another server.
  deps.draining.addEventListener('abort', endAll, { once: true });
  app.addHook('preClose', async () => {
    for (const unsubscribe of unsubscribes) unsubscribe();
    endAll();
  });
  return {
    async stream({ caller, reply }) {
      refuseTooMany(streams, caller);
      reply.hijack();
      reply.raw.writeHead(200, {
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        ...(deps.draining.aborted ? { connection: 'close' } : {}),
      });
      const heartbeat = setInterval(() => {
        if (stream.isQuiet) reply.raw.write(': still here\n\n');
        stream.isQuiet = true;
      }, HEARTBEAT_MS);
      const lifetime = setTimeout(() => stream.end(), LIFETIME_MS);
      const forget = () => {
        clearInterval(heartbeat);
        clearTimeout(lifetime);
        const own = streams.get(stream.userId);
        own?.delete(stream);
        if (own?.size === 0) streams.delete(stream.userId);
      };
      const stream: Stream = {
        userId: caller.user.id,
        nodeIds: undefined,
        sessionId: caller.sessionId,
        reply,
        isQuiet: false,
        end() {
          forget();
          reply.raw.end();
        },
      };
      reply.raw.on('close', forget);
      streams.set(stream.userId, (streams.get(stream.userId) ?? new Set()).add(stream));
      write(stream, { type: 'hello' });
      // The session may have ended after authentication but before the stream was registered.
      await endDead(deps, [stream]);
      await learnNodes(deps, [stream]);
      if (deps.draining.aborted) stream.end();
      return reply;
    },
  };
}

/** Each stream costs memory and look-ups: one token must not open thousands. Refuses `too_many_requests`. */
function refuseTooMany(streams: OpenStreams, { user, sessionId }: SignedInCaller): void {
  const own = streamsOf(streams, user.id);
  if (own.length < MAX_PER_USER && own.filter((stream) => stream.sessionId === sessionId).length < MAX_PER_SESSION)
    return;
  throw new Refusal('too_many_requests', { details: { seconds: 60 }, retryAfterSeconds: 60 });
}

/** One subscription per kind of event. The database is only read for users with an open stream. */
function* subscribeToAll(deps: Deps, streams: OpenStreams): Generator<() => void> {
  const run = (work: () => Promise<unknown>) => {
    if (streams.size === 0) return;
    work().catch((err: unknown) => deps.log.warn({ err }, 'a change signal was not passed on'));
  };
  const pass = <P extends { readonly userId: string }>(
    signal: ChangeSignal<P>,
    describe: (payload: P) => RealtimeEvent | Promise<RealtimeEvent>,
  ) =>
    deps.bus.subscribe(signal, (payload) =>
      run(async () => {
        const own = streamsOf(streams, payload.userId);
        if (own.length === 0) return;
        const event = await describe(payload);
        for (const stream of own) write(stream, event);
      }),
    );
  yield pass(balanceChanged, ({ userId }) => describeBalance(deps, userId));
  yield pass(accountChanged, () => ({ type: 'account' }));
  yield pass(notificationsChanged, () => ({ type: 'notification' }));
  yield pass(configChanged, async ({ userId, configId }) => {
    await learnNodes(deps, streamsOf(streams, userId));
    return { type: 'config', configId };
  });
  yield pass(connectionChanged, ({ configId, connected }) => ({ type: 'connection', configId, connected }));
  yield pass(paymentChanged, ({ transactionId, status }) => ({ type: 'payment', transactionId, status }));
  yield deps.bus.subscribe(nodeReported, ({ nodeId }) =>
    run(async () => {
      const usage = await readReportedUsage(deps, allOf(streams), nodeId);
      for (const { userId, event } of usage) for (const stream of streamsOf(streams, userId)) write(stream, event);
    }),
  );
  yield deps.bus.subscribe(sessionEnded, ({ sessionId }) => {
    for (const stream of allOf(streams).filter((each) => each.sessionId === sessionId)) {
      write(stream, { type: 'session-ended' });
      stream.end();
    }
  });
  yield deps.bus.onReconnect(() =>
    run(async () => {
      await endDead(deps, allOf(streams));
      // Signals may have been lost: the remaining panels read everything again.
      for (const stream of allOf(streams)) write(stream, { type: 'hello' });
    }),
  );
}

async function describeBalance(deps: Deps, userId: string): Promise<RealtimeEvent> {
  const accounts = await getUserAccounts(deps.db, userId);
  return { type: 'balance', balance: toWire(accounts.walletToman + accounts.leaseToman) };
}

/** Sends `session-ended` to streams whose session has ended, and closes them. */
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
  // The stream may have ended while its event was being read.
  if (stream.reply.raw.writableEnded) return;
  stream.isQuiet = false;
  stream.reply.raw.write(`data: ${JSON.stringify(event)}\n\n`);
}
