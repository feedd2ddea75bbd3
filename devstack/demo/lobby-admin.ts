/** What the hooks of the demo ask: how many players a pod still has, and how many requests fail. Players leave when they are asked about. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const PLAYERS_AT_FIRST = 2;

export interface LobbyAdmin {
  /** host:port */
  address: string;
  close(): void;
}

/** Each question about a pod's players finds one fewer, so every pod is asked three times before it may go. */
export async function startLobbyAdmin(): Promise<LobbyAdmin> {
  const players = new Map<string, number>();
  const server = createServer((request, response) => {
    const answer = answerTo(request.url ?? '', players);
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: 'no such question' }));
  });
  const port = await listen(server);
  return { address: `127.0.0.1:${port}`, close: () => end(server) };
}

function answerTo(path: string, players: Map<string, number>): object | undefined {
  if (path === '/errors') return { percent: 0.2 };
  const pod = /^\/players\/([\w.-]+)$/.exec(path)?.[1];
  if (pod === undefined) return undefined;
  const left = players.get(pod) ?? PLAYERS_AT_FIRST;
  players.set(pod, Math.max(0, left - 1));
  return { players: left };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function end(server: Server): void {
  server.close();
  server.closeAllConnections();
}
