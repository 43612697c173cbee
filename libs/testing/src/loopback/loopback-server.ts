import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Starts an HTTP server on loopback.
 * @param port 0 for any free port
 * @returns the server's URL, without a path
 */
export async function listenOnLoopback(server: Server, port = 0): Promise<string> {
  await new Promise<void>((settle, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', settle);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Stops a server and closes its open connections. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((settle) => {
    server.close(() => settle());
    server.closeAllConnections();
  });
}
