import { connect, type Socket } from 'node:net';
import { createTurns } from '../platform/mutex.ts';
import { decodeMessage, encodeMessage, encodeName, type Message, type Wish } from './vici-message.ts';

/** A conversation with strongSwan's daemon over its socket (VICI). Answers come in the order of the questions. */
export interface Vici {
  /** Resolves to the answer; rejects where the daemon says that it did not do it. */
  ask(command: string, wish?: Wish): Promise<Message>;
  /** The same for commands that answer with a stream of events; gives those. */
  list(command: string, event: string): Promise<Message[]>;
  isOpen(): boolean;
  end(): void;
}

/** What the daemon refused to do, in its words. */
export class ViciRefused extends Error {
  override readonly name = 'ViciRefused';
}

const COMMAND = 0;
const RESPONSE = 1;
const REGISTER = 3;
const UNREGISTER = 4;
const CONFIRM = 5;
const EVENT = 7;

const ANSWER_TIMEOUT_MS = 30_000;
/** The protocol's own bound for a packet. */
const MAX_PACKET_BYTES = 512 * 1024;

export async function connectVici(path: string, onLost: () => void): Promise<Vici> {
  const socket = connect(path);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  return converse(socket, onLost);
}

interface Question {
  readonly command: string;
  readonly timer: NodeJS.Timeout;
  resolve(answer: Message): void;
  reject(error: Error): void;
}

function converse(socket: Socket, onLost: () => void): Vici {
  const questions: Question[] = [];
  const listeners = new Map<string, (message: Message) => void>();
  let isEnding = false;
  /** Two lists of one kind would hear each other's events. */
  const inTurn = createTurns();

  const hear = (packet: Buffer) => {
    const kind = packet.readUInt8();
    if (kind === EVENT) {
      const nameEnd = 2 + packet.readUInt8(1);
      listeners.get(packet.toString('utf8', 2, nameEnd))?.(decodeMessage(packet.subarray(nameEnd)));
      return;
    }
    const question = questions.shift();
    if (!question) return;
    clearTimeout(question.timer);
    if (kind === CONFIRM) question.resolve({});
    else if (kind !== RESPONSE) question.reject(new ViciRefused(`strongSwan does not know ${question.command}`));
    else settle(question, packet.subarray(1));
  };
  const say = (kind: number, name: string, body: Buffer) =>
    new Promise<Message>((resolve, reject) => {
      if (socket.destroyed) {
        reject(new Error('strongSwan hung up'));
        return;
      }
      const timer = setTimeout(() => socket.destroy(), ANSWER_TIMEOUT_MS);
      questions.push({ command: name, timer, resolve, reject });
      const packet = Buffer.concat([Buffer.alloc(4), Buffer.from([kind]), encodeName(name), body]);
      packet.writeUInt32BE(packet.length - 4);
      socket.write(packet);
    });
  const ask = (command: string, wish: Wish = {}) => say(COMMAND, command, encodeMessage(wish));
  const list = async (command: string, event: string) => {
    const events: Message[] = [];
    listeners.set(event, (message) => events.push(message));
    try {
      await say(REGISTER, event, Buffer.alloc(0));
      await ask(command);
      await say(UNREGISTER, event, Buffer.alloc(0));
      return events;
    } finally {
      listeners.delete(event);
    }
  };

  readPackets(socket, hear);
  socket.on('close', () => {
    for (const { timer, reject } of questions.splice(0)) {
      clearTimeout(timer);
      reject(new Error('strongSwan hung up'));
    }
    if (!isEnding) onLost();
  });
  return {
    ask,
    list: (command, event) => inTurn(() => list(command, event)),
    isOpen: () => !socket.destroyed && !socket.readableEnded,
    end: () => {
      isEnding = true;
      socket.destroy();
    },
  };
}

/** Throws for an answer that is no message, of which the one who asked hears too. */
function settle(question: Question, body: Buffer): void {
  let answer: Message;
  try {
    answer = decodeMessage(body);
  } catch (error) {
    question.reject(error as Error);
    throw error;
  }
  if (answer.success === 'no') question.reject(new ViciRefused(`${question.command}: ${answer.errmsg}`));
  else question.resolve(answer);
}

/** Whoever sends what cannot be read is hung up on. */
function readPackets(socket: Socket, hear: (packet: Buffer) => void): void {
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
        hear(packet);
      }
    } catch {
      socket.destroy();
    }
  });
}
