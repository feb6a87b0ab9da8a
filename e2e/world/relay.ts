import { connect, createServer, type Socket } from 'node:net';

/** Forwards the node's connections to the control plane on loopback, and can make it unreachable. */
export interface Relay {
  readonly url: string;
  /** Connections are refused and the open ones cut until `restore`. */
  cut(): void;
  restore(): void;
  /** Bytes carried to the node so far, and from it. */
  carried(): { readonly toNode: number; readonly fromNode: number };
  close(): Promise<void>;
}

export async function startRelay(address: string, port: number): Promise<Relay> {
  const open = new Set<Socket>();
  let away = false;
  const carried = { toNode: 0, fromNode: 0 };
  const server = createServer((incoming) => {
    if (away) {
      incoming.destroy();
      return;
    }
    const outgoing = connect(port, '127.0.0.1');
    incoming.on('data', (data) => {
      carried.fromNode += data.length;
    });
    outgoing.on('data', (data) => {
      carried.toNode += data.length;
    });
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.once('error', () => to.destroy());
      from.once('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
  });
  await new Promise<void>((done) => server.listen(0, address, done));
  const bound = server.address();
  const relayPort = typeof bound === 'object' && bound ? bound.port : 0;
  const cutAll = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    url: `http://${address}:${relayPort}`,
    cut: () => {
      away = true;
      cutAll();
    },
    restore: () => {
      away = false;
    },
    carried: () => ({ ...carried }),
    close: async () => {
      cutAll();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
