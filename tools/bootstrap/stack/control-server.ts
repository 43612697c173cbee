import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The commands that tests can send to a running stack. */
export interface StackControls {
  has(name: string): boolean;
  get(name: string): {
    start(): Promise<void>;
    stop(): Promise<void>;
    /** Resolves when the process is ready. */
    waitReady(): Promise<void>;
  };
}

export interface ControlAddress {
  readonly url: string;
  readonly token: string;
}

export interface ControlServer {
  readonly address: ControlAddress;
  close(): void;
}

async function carryOut(action: string | undefined, name: string, controls: StackControls): Promise<boolean> {
  switch (action) {
    case 'start':
      await controls.get(name).start();
      return true;
    case 'stop':
      await controls.get(name).stop();
      return true;
    case 'ready':
      await controls.get(name).waitReady();
      return true;
    default:
      return false;
  }
}

function isAuthorized(request: IncomingMessage, token: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  controls: StackControls,
): Promise<void> {
  const finish = (status: number, message: string) => {
    // HTTP keep-alive is off, because a delayed caller could reuse a connection that the server has already closed.
    response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ message }));
  };
  if (!isAuthorized(request, token)) {
    finish(401, 'wrong token');
    return;
  }
  const [, units, name = '', action] = (request.url ?? '').split('/');
  if (request.method !== 'POST' || units !== 'units' || !controls.has(name)) {
    finish(404, 'no such unit');
    return;
  }
  try {
    const known = await carryOut(action, name, controls);
    finish(known ? 200 : 404, known ? 'done' : 'no such action');
  } catch (error) {
    finish(500, error instanceof Error ? error.message : String(error));
  }
}

/**
 * Serves `POST /units/<name>/start|stop|ready` on loopback. Callers must be able to read the stack's state
 * file, which contains the access token.
 */
export async function startControlServer(controls: StackControls): Promise<ControlServer> {
  const token = randomBytes(24).toString('hex');
  const server = createServer((request, response) => {
    request.resume();
    void answer(request, response, token, controls);
  });
  await new Promise<void>((settle, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', settle);
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: { url: `http://127.0.0.1:${port}`, token },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
