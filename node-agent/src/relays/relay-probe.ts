import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import { limits } from '@raha/contract/limits.ts';
import type { NodeSettings, RelayHealth } from '@raha/contract/node/protocol.ts';

export type RelaySettings = NonNullable<NodeSettings['relays']>;

/**
 * Whether this node's relays forward to it. It sends random bytes to each relay's address, at a port that the relay forwards; they come
 * in at that port of its own, it sends them back, and the relay brings them to where they came from. So both directions and both
 * machines are proved, by nothing that a relay must know. To bytes that it has not sent itself it answers nothing.
 */
export interface RelayProbe {
  /** Tries each relay once. Without relays it closes the port. */
  tryAll(settings: RelaySettings | undefined): Promise<void>;
  /** What has been measured since the last call. */
  take(): RelayHealth[];
  close(): void;
}

interface ProbeDeps {
  /** Random, and not to be guessed. */
  mintId(): string;
  elapsedMs(): number;
  readonly waitMs?: number;
}

/** A lost packet is no relay that is away. */
const TRIES = 3;

export function createRelayProbe(deps: ProbeDeps): RelayProbe {
  const { waitMs = limits.relay.probeWaitMs } = deps;
  const sent = new Set<string>();
  let answering: { readonly port: number; readonly sockets: readonly Socket[] } | undefined;
  let measured: RelayHealth[] = [];

  async function listen(port: number): Promise<void> {
    if (answering?.port === port) return;
    close();
    const opened = await Promise.all([openSocket('udp4', port), openSocket('udp6', port)]);
    const sockets = opened.filter((socket) => socket !== undefined);
    if (sockets.length === 0) throw new Error(`UDP port ${port} is not free`);
    for (const socket of sockets)
      socket.on('message', (message, from) => {
        if (sent.has(message.toString('latin1'))) socket.send(message, from.port, from.address, () => undefined);
      });
    answering = { port, sockets };
  }

  function close(): void {
    for (const socket of answering?.sockets ?? []) socket.close();
    answering = undefined;
  }

  /** The round trip, or null. */
  async function tryOnce(address: string, port: number): Promise<number | null> {
    const socket = await openSocket(isIPv6(address) ? 'udp6' : 'udp4');
    if (!socket) return null;
    const nonce = deps.mintId();
    sent.add(nonce);
    const beganMs = deps.elapsedMs();
    try {
      const answer = once(socket, 'message', { signal: AbortSignal.timeout(waitMs / TRIES) });
      socket.send(nonce, port, address, () => undefined);
      const [message] = (await answer) as [Buffer];
      if (message.toString('latin1') !== nonce) return null;
      return Math.round(10 * (deps.elapsedMs() - beganMs)) / 10;
    } catch {
      return null;
    } finally {
      sent.delete(nonce);
      socket.close();
    }
  }

  async function tryAddress(address: string, port: number): Promise<number | null> {
    for (let tries = 0; tries < TRIES; tries++) {
      const roundTripMs = await tryOnce(address, port);
      if (roundTripMs !== null) return Math.min(roundTripMs, limits.relay.probeWaitMs);
    }
    return null;
  }

  return {
    tryAll: async (settings) => {
      if (!settings) return close();
      await listen(settings.probePort);
      const tried = settings.relays.flatMap(({ id, address4, address6 }) => [
        ...(address4 === null ? [] : [{ relay: id, family: 4 as const, address: address4 }]),
        ...(address6 === null ? [] : [{ relay: id, family: 6 as const, address: address6 }]),
      ]);
      // Newer ones take the place of what a control plane that is away has not fetched.
      measured = await Promise.all(
        tried.map(async ({ relay, family, address }) => ({
          ...{ relay, family, roundTripMs: await tryAddress(address, settings.probePort) },
        })),
      );
    },
    take: () => {
      const taken = measured;
      measured = [];
      return taken;
    },
    close,
  };
}

/** Undefined when the machine has no such family, or the port is taken. */
async function openSocket(type: 'udp4' | 'udp6', port = 0): Promise<Socket | undefined> {
  const socket = createSocket({ type, ipv6Only: type === 'udp6' });
  try {
    socket.bind(port);
    await once(socket, 'listening');
    // Of a relay that is away the kernel may report "refused".
    socket.on('error', () => undefined);
    return socket;
  } catch {
    socket.close();
    return undefined;
  }
}
