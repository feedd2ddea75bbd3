/**
 * A TCP relay in front of a server that can lose what a real network loses: it cuts connections, refuses new ones, or
 * stops carrying bytes of those that are open, without telling either end.
 */
import { connect, createServer, type Socket } from 'node:net';

export interface TcpGate {
  port: number;
  /** Ends every connection and refuses new ones until `open`. */
  shut(): void;
  open(): void;
  /** Connections open now carry nothing any more and stay open; later ones work. */
  strandOpenConnections(): void;
  close(): Promise<void>;
}

interface Relay {
  client: Socket;
  server: Socket;
}

export async function startTcpGate(targetPort: number): Promise<TcpGate> {
  const relays = new Set<Relay>();
  let isShut = false;
  const listener = createServer((client) => {
    if (isShut) client.destroy();
    else relays.add(relay(client, targetPort, (ended) => relays.delete(ended)));
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('the gate has no port');
  const shut = () => {
    isShut = true;
    for (const { client, server } of relays) {
      client.destroy();
      server.destroy();
    }
  };
  return {
    port: address.port,
    shut,
    open: () => {
      isShut = false;
    },
    strandOpenConnections: () => {
      for (const { client, server } of relays) {
        client.unpipe(server).pause();
        server.unpipe(client).pause();
      }
    },
    close: () => {
      shut();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
}

function relay(client: Socket, targetPort: number, onEnd: (ended: Relay) => void): Relay {
  const server = connect(targetPort, '127.0.0.1');
  const pair = { client, server };
  const end = () => {
    client.destroy();
    server.destroy();
    onEnd(pair);
  };
  for (const socket of [client, server]) socket.on('error', end).on('close', end);
  client.pipe(server);
  server.pipe(client);
  return pair;
}
