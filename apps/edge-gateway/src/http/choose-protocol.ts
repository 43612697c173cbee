import type { Socket } from 'node:net';

/** The first bytes of an HTTP/2 connection (RFC 9113 §3.4). No method of HTTP/1.1 begins so. */
const prefaceStart = Buffer.from('PRI');

/** Where a connection goes, once its first bytes are here. */
export interface Protocols {
  serveHttp1(socket: Socket): void;
  serveHttp2(socket: Socket): void;
  /** Nothing came in time. */
  refuseSilent(socket: Socket): void;
}

/**
 * Looks at the first bytes of each connection, once, and hands it on with those bytes put back. Nothing is wrapped or
 * copied: whoever gets the socket reads from the system itself from then on.
 */
export class ProtocolChooser {
  readonly #protocols: Protocols;
  readonly #silentMs: number;
  /** Connections that have not said anything yet. */
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

  /** Lets go of connections that nobody has used. */
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

/** `P` and `PR` may still become either. */
function isUndecided(first: Buffer): boolean {
  return first.length < prefaceStart.length && prefaceStart.subarray(0, first.length).equals(first);
}
