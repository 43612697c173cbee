import type { Socket } from 'node:net';

/**
 * The first bytes that a client sends on an HTTP/2 connection (RFC 9113 §3.4). No HTTP/1.1 request starts with
 * `PRI`.
 */
const prefaceStart = Buffer.from('PRI');

/**
 * The connection handlers, one per protocol. The first bytes of a connection determine the handler of the
 * connection.
 */
export interface Protocols {
  serveHttp1(socket: Socket): void;
  serveHttp2(socket: Socket): void;
  /** A function that is called if a connection sends no bytes in time. */
  refuseSilent(socket: Socket): void;
}

/**
 * Reads the first bytes on each connection, puts the bytes back, and passes the socket to the handler of the
 * client's protocol. The handler reads all further bytes directly from the socket, without a wrapper.
 */
export class ProtocolChooser {
  readonly #protocols: Protocols;
  readonly #silentMs: number;
  /** Connections that have not sent any bytes yet. */
  readonly #waiting = new Set<Socket>();

  constructor(protocols: Protocols, silentMs: number) {
    this.#protocols = protocols;
    this.#silentMs = silentMs;
  }

  take(socket: Socket): void {
    let held: Buffer | undefined;
    const leave = (): void => {
      this.#waiting.delete(socket);
      socket.setTimeout(0);
      socket.off('data', read).off('end', end).off('error', end).off('close', leave).off('timeout', refuse);
    };
    const read = (chunk: Buffer): void => {
      const first = held === undefined ? chunk : Buffer.concat([held, chunk]);
      held = first;
      if (isUndecided(first)) return;
      leave();
      socket.pause();
      socket.unshift(first);
      this.#serve(socket, first);
    };
    const end = (): void => {
      leave();
      socket.on('error', () => undefined).destroy();
    };
    const refuse = (): void => {
      leave();
      socket.on('error', () => undefined);
      this.#protocols.refuseSilent(socket);
    };
    this.#waiting.add(socket);
    socket.setTimeout(this.#silentMs);
    socket.on('data', read).on('end', end).on('error', end).on('close', leave).on('timeout', refuse);
  }

  /** Closes connections that have not sent any bytes. */
  close(): void {
    for (const socket of this.#waiting) socket.destroy();
  }

  #serve(socket: Socket, first: Buffer): void {
    if (first.subarray(0, prefaceStart.length).equals(prefaceStart)) {
      this.#protocols.serveHttp2(socket);
      return;
    }
    this.#protocols.serveHttp1(socket);
    socket.resume();
  }
}

/** Whether the first bytes match both HTTP/1.1 and HTTP/2. Requests in both protocols can begin with `P` or `PR`. */
function isUndecided(first: Buffer): boolean {
  return first.length < prefaceStart.length && prefaceStart.subarray(0, first.length).equals(first);
}
