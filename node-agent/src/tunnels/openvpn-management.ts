import { connect, type Socket } from 'node:net';

/**
 * The management interface of a running OpenVPN (OpenVPN, doc/management-notes.txt). Its notifications and the rows of
 * `status` contain network addresses of devices, which are neither read nor kept.
 */
export interface Management {
  listSessions(): Promise<Session[]>;
  /**
   * Tells the devices to disconnect and not to reconnect by themselves; the daemon repeats that after two seconds. It ends
   * a session when the device confirms, after five seconds at the latest; until then it forwards the device's packets.
   * Returns the devices that are connected.
   */
  requestDisconnect(commonNames: readonly string[]): Promise<string[]>;
  /** Ends the sessions at once: no packet of these devices passes afterwards. */
  endSessions(commonNames: readonly string[]): Promise<void>;
  /** Makes the daemon exit; devices are told that it will be back. */
  terminate(): Promise<void>;
  isOpen(): boolean;
  end(): void;
}

export interface Session {
  readonly commonName: string;
  readonly clientId: string;
  /** Bytes received from the device on the wire, including keepalives. */
  readonly receivedBytes: number;
}

const ANSWER_TIMEOUT_MS = 5_000;

export async function connectManagement(path: string, onLost: () => void): Promise<Management> {
  const lines = await openLines(path, onLost);
  const listSessions = async () => parseSessions(await lines.request('status 3', 'lines'));
  return {
    listSessions,
    // A device that has just disconnected by itself is not an error, here and below.
    requestDisconnect: async (commonNames) => {
      const requested = new Set(commonNames);
      const sessions = (await listSessions()).filter(({ commonName }) => requested.has(commonName));
      for (const { clientId } of sessions) await lines.request(`client-kill ${clientId} HALT`, 'any');
      return sessions.map(({ commonName }) => commonName);
    },
    endSessions: async (commonNames) => {
      for (const commonName of commonNames) await lines.request(`kill ${commonName}`, 'any');
    },
    terminate: async () => {
      await lines.request('signal SIGTERM', 'success');
    },
    isOpen: lines.isOpen,
    end: lines.end,
  };
}

/** The columns are named by a header row. */
function parseSessions(rows: readonly string[]): Session[] {
  const header =
    rows
      .find((row) => row.startsWith('HEADER\tCLIENT_LIST\t'))
      ?.split('\t')
      .slice(1) ?? [];
  const [name, id, bytes] = ['Common Name', 'Client ID', 'Bytes Received'].map((title) => header.indexOf(title)) as [
    number,
    number,
    number,
  ];
  if (name < 0 || id < 0 || bytes < 0) throw new Error('openvpn lists its clients in an unknown format');
  return rows
    .filter((row) => row.startsWith('CLIENT_LIST\t'))
    .map((row) => row.split('\t'))
    .map((cells) => ({
      commonName: cells[name] as string,
      clientId: cells[id] as string,
      receivedBytes: Number(cells[bytes]),
    }));
}

/** `success`: a refusal is an error. `any`: a refusal is an answer. `lines`: everything up to END. */
type Expected = 'success' | 'any' | 'lines';

interface Lines {
  request(command: string, expected: Expected): Promise<string[]>;
  isOpen(): boolean;
  end(): void;
}

function openLines(path: string, onLost: () => void): Promise<Lines> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    // The daemon serves one connection: without a greeting it has not accepted this one.
    const timer = setTimeout(() => socket.destroy(new Error('openvpn does not answer')), ANSWER_TIMEOUT_MS);
    const fail = (error?: Error) => {
      clearTimeout(timer);
      reject(error ?? new Error('openvpn closed the connection'));
    };
    socket.once('error', fail);
    socket.once('close', fail);
    socket.once('data', (greeting: Buffer) => {
      clearTimeout(timer);
      socket.off('error', fail);
      socket.off('close', fail);
      if (greeting.toString('latin1').startsWith('>INFO:')) resolve(openRequests(socket, onLost));
      else socket.destroy();
    });
  });
}

interface Request {
  readonly expected: Expected;
  readonly lines: string[];
  resolve(lines: string[]): void;
  reject(error: Error): void;
}

function openRequests(socket: Socket, onLost: () => void): Lines {
  const requests: Request[] = [];
  let rest = '';
  let isEnding = false;

  const settle = (error?: Error) => {
    const request = requests.shift();
    if (error) request?.reject(error);
    else request?.resolve(request.lines);
  };
  const receive = (line: string) => {
    const request = requests[0];
    if (!request || line.startsWith('>')) return;
    if (line.startsWith('ERROR:') && request.expected !== 'any') settle(new Error(`openvpn refused: ${line}`));
    else if (request.expected !== 'lines' || line === 'END') settle();
    else request.lines.push(line);
  };

  socket.on('error', () => {});
  socket.on('data', (data: Buffer) => {
    const lines = (rest + data.toString('latin1')).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) receive(line);
  });
  socket.on('close', () => {
    for (const request of requests.splice(0)) request.reject(new Error('openvpn closed the connection'));
    if (!isEnding) onLost();
  });
  return {
    request: (command, expected) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) {
          reject(new Error('openvpn closed the connection'));
          return;
        }
        const timer = setTimeout(() => socket.destroy(), ANSWER_TIMEOUT_MS);
        const finish =
          <T>(done: (value: T) => void) =>
          (value: T) => {
            clearTimeout(timer);
            done(value);
          };
        requests.push({ expected, lines: [], resolve: finish(resolve), reject: finish(reject) });
        socket.write(`${command}\n`);
      }),
    isOpen: () => !socket.destroyed && !socket.readableEnded,
    end: () => {
      isEnding = true;
      socket.destroy();
    },
  };
}
