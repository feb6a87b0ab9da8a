import { connect, type Socket } from 'node:net';

/**
 * A conversation with a running OpenVPN (OpenVPN, doc/management-notes.txt). Its notices and the rows of `status` hold
 * network addresses of devices: they are read past, and never kept.
 */
export interface Management {
  listSessions(): Promise<Session[]>;
  /**
   * Tells the devices to end and not to come back by themselves, and again after two seconds if they have not heard it.
   * The daemon forgets them when they say that they leave, and in five seconds at the latest; until then it passes on
   * what they send. Gives those that are here to be told.
   */
  dismiss(commonNames: readonly string[]): Promise<string[]>;
  /** Forgets them: no packet of theirs passes after. */
  forget(commonNames: readonly string[]): Promise<void>;
  /** Asks the daemon to end; devices are told that it will be back. */
  terminate(): Promise<void>;
  isOpen(): boolean;
  end(): void;
}

export interface Session {
  readonly commonName: string;
  readonly clientId: string;
  /** Bytes on the wire that came from the device, keepalives too. */
  readonly heardBytes: number;
}

const ANSWER_TIMEOUT_MS = 5_000;

export async function connectManagement(path: string, onLost: () => void): Promise<Management> {
  const lines = await openLines(path, onLost);
  const listSessions = async () => parseSessions(await lines.ask('status 3', 'lines'));
  return {
    listSessions,
    // A device that has just left by itself is no error, here and below.
    dismiss: async (commonNames) => {
      const wanted = new Set(commonNames);
      const sessions = (await listSessions()).filter(({ commonName }) => wanted.has(commonName));
      for (const { clientId } of sessions) await lines.ask(`client-kill ${clientId} HALT`, 'any');
      return sessions.map(({ commonName }) => commonName);
    },
    forget: async (commonNames) => {
      for (const commonName of commonNames) await lines.ask(`kill ${commonName}`, 'any');
    },
    terminate: async () => {
      await lines.ask('signal SIGTERM', 'success');
    },
    isOpen: lines.isOpen,
    end: lines.end,
  };
}

/** The columns are named by a heading of their own. */
function parseSessions(rows: readonly string[]): Session[] {
  const heading =
    rows
      .find((row) => row.startsWith('HEADER\tCLIENT_LIST\t'))
      ?.split('\t')
      .slice(1) ?? [];
  const [name, id, bytes] = ['Common Name', 'Client ID', 'Bytes Received'].map((title) => heading.indexOf(title)) as [
    number,
    number,
    number,
  ];
  if (name < 0 || id < 0 || bytes < 0) throw new Error('openvpn speaks of its clients in an unknown form');
  return rows
    .filter((row) => row.startsWith('CLIENT_LIST\t'))
    .map((row) => row.split('\t'))
    .map((cells) => ({
      commonName: cells[name] as string,
      clientId: cells[id] as string,
      heardBytes: Number(cells[bytes]),
    }));
}

/** `success`: a refusal is an error. `any`: it is an answer. `lines`: everything up to END. */
type Expected = 'success' | 'any' | 'lines';

interface Lines {
  ask(command: string, expected: Expected): Promise<string[]>;
  isOpen(): boolean;
  end(): void;
}

function openLines(path: string, onLost: () => void): Promise<Lines> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    // Only one may speak with the daemon: a connection that it does not greet is one that it does not take.
    const timer = setTimeout(() => socket.destroy(new Error('openvpn does not answer')), ANSWER_TIMEOUT_MS);
    const refuse = (error?: Error) => {
      clearTimeout(timer);
      reject(error ?? new Error('openvpn hung up'));
    };
    socket.once('error', refuse);
    socket.once('close', refuse);
    socket.once('data', (greeting: Buffer) => {
      clearTimeout(timer);
      socket.off('error', refuse);
      socket.off('close', refuse);
      if (greeting.toString('latin1').startsWith('>INFO:')) resolve(converse(socket, onLost));
      else socket.destroy();
    });
  });
}

interface Question {
  readonly expected: Expected;
  readonly lines: string[];
  resolve(lines: string[]): void;
  reject(error: Error): void;
}

function converse(socket: Socket, onLost: () => void): Lines {
  const questions: Question[] = [];
  let rest = '';
  let isEnding = false;

  const settle = (error?: Error) => {
    const question = questions.shift();
    if (error) question?.reject(error);
    else question?.resolve(question.lines);
  };
  const hear = (line: string) => {
    const question = questions[0];
    if (!question || line.startsWith('>')) return;
    if (line.startsWith('ERROR:') && question.expected !== 'any') settle(new Error(`openvpn refused: ${line}`));
    else if (question.expected !== 'lines' || line === 'END') settle();
    else question.lines.push(line);
  };

  socket.on('error', () => {});
  socket.on('data', (data: Buffer) => {
    const lines = (rest + data.toString('latin1')).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
  socket.on('close', () => {
    for (const question of questions.splice(0)) question.reject(new Error('openvpn hung up'));
    if (!isEnding) onLost();
  });
  return {
    ask: (command, expected) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) {
          reject(new Error('openvpn hung up'));
          return;
        }
        const timer = setTimeout(() => socket.destroy(), ANSWER_TIMEOUT_MS);
        const finish =
          <T>(done: (value: T) => void) =>
          (value: T) => {
            clearTimeout(timer);
            done(value);
          };
        questions.push({ expected, lines: [], resolve: finish(resolve), reject: finish(reject) });
        socket.write(`${command}\n`);
      }),
    isOpen: () => !socket.destroyed && !socket.readableEnded,
    end: () => {
      isEnding = true;
      socket.destroy();
    },
  };
}
