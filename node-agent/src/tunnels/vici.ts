import { connect, type Socket } from 'node:net';
import { createMutex } from '../platform/mutex.ts';
import { type Arguments, decodeMessage, encodeMessage, encodeName, type Message } from './vici-message.ts';

/** A connection to strongSwan's daemon over its socket (VICI). Responses arrive in the order of the requests. */
export interface Vici {
  /** Resolves to the response; rejects when the daemon reports a failure. */
  request(command: string, values?: Arguments): Promise<Message>;
  /** For commands that respond with a stream of events; resolves to the events. */
  list(command: string, event: string): Promise<Message[]>;
  isOpen(): boolean;
  end(): void;
}

/** The daemon refused a command; the message is its own. */
export class ViciRefused extends Error {
  override readonly name = 'ViciRefused';
}

const COMMAND = 0;
const RESPONSE = 1;
const REGISTER = 3;
const UNREGISTER = 4;
const CONFIRM = 5;
const EVENT = 7;

const RESPONSE_TIMEOUT_MS = 30_000;
/** The protocol's own limit for a packet. */
const MAX_PACKET_BYTES = 512 * 1024;

export async function connectVici(path: string, onLost: () => void): Promise<Vici> {
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return openVici(socket, onLost);
}

interface Request {
  readonly command: string;
  readonly timer: NodeJS.Timeout;
  resolve(response: Message): void;
  reject(error: Error): void;
}

function openVici(socket: Socket, onLost: () => void): Vici {
  const requests: Request[] = [];
  const listeners = new Map<string, (message: Message) => void>();
  let isEnding = false;
  /** Two lists of the same kind would receive each other's events. */
  const mutex = createMutex();

  const receive = (packet: Buffer) => {
    const kind = packet.readUInt8();
    if (kind === EVENT) {
      const nameEnd = 2 + packet.readUInt8(1);
      listeners.get(packet.toString('utf8', 2, nameEnd))?.(decodeMessage(packet.subarray(nameEnd)));
      return;
    }
    const request = requests.shift();
    if (!request) return;
    clearTimeout(request.timer);
    if (kind === CONFIRM) request.resolve({});
    else if (kind !== RESPONSE) request.reject(new ViciRefused(`strongSwan does not know ${request.command}`));
    else settle(request, packet.subarray(1));
  };
  const send = (kind: number, name: string, body: Buffer) =>
    new Promise<Message>((resolve, reject) => {
      if (socket.destroyed) {
        reject(new Error('strongSwan closed the connection'));
        return;
      }
      const timer = setTimeout(() => socket.destroy(), RESPONSE_TIMEOUT_MS);
      requests.push({ command: name, timer, resolve, reject });
      const packet = Buffer.concat([Buffer.alloc(4), Buffer.from([kind]), encodeName(name), body]);
      packet.writeUInt32BE(packet.length - 4);
      socket.write(packet);
    });
  const request = (command: string, values: Arguments = {}) => send(COMMAND, command, encodeMessage(values));
  const list = async (command: string, event: string) => {
    const events: Message[] = [];
    listeners.set(event, (message) => events.push(message));
    try {
      await send(REGISTER, event, Buffer.alloc(0));
      await request(command);
      await send(UNREGISTER, event, Buffer.alloc(0));
      return events;
    } finally {
      listeners.delete(event);
    }
  };

  readPackets(socket, receive);
  socket.on('close', () => {
    for (const { timer, reject } of requests.splice(0)) {
      clearTimeout(timer);
      reject(new Error('strongSwan closed the connection'));
    }
    if (!isEnding) onLost();
  });
  return {
    request,
    list: (command, event) => mutex.runExclusive(() => list(command, event)),
    isOpen: () => !socket.destroyed && !socket.readableEnded,
    end: () => {
      isEnding = true;
      socket.destroy();
    },
  };
}

/** Rejects the request and throws when the response is not a message. */
function settle(request: Request, body: Buffer): void {
  let response: Message;
  try {
    response = decodeMessage(body);
  } catch (error) {
    request.reject(error as Error);
    throw error;
  }
  if (response.success === 'no') request.reject(new ViciRefused(`${request.command}: ${response.errmsg}`));
  else request.resolve(response);
}

/** Closes the connection at the first unreadable packet. */
function readPackets(socket: Socket, receive: (packet: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (data: Buffer) => {
    rest = rest.length > 0 ? Buffer.concat([rest, data]) : data;
    try {
      while (rest.length >= 4) {
        const length = rest.readUInt32BE();
        if (length < 1 || length > MAX_PACKET_BYTES) throw new Error('strongSwan sent a packet of impossible length');
        if (rest.length < 4 + length) return;
        const packet = rest.subarray(4, 4 + length);
        rest = rest.subarray(4 + length);
        receive(packet);
      }
    } catch {
      socket.destroy();
    }
  });
}
