import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A private network link between one process and a server. A test can break the link without affecting other
 * processes.
 */
export interface CutLink {
  /** The link's address as `host:port`. The process connects to the link, not to the server. */
  readonly address: string;
  /** Closes all open connections and rejects new ones. */
  cut(): void;
  /** Keeps connections open but drops all bytes, like a network with an unplugged cable. */
  stall(): void;
  /** Accepts new connections again. */
  mend(): void;
  close(): Promise<void>;
}

type State = 'open' | 'cut' | 'stalled';

export async function startCutLink(target: { host: string; port: number }): Promise<CutLink> {
  const link = new Link(target);
  await link.listen();
  return link;
}

class Link implements CutLink {
  readonly #target: { host: string; port: number };
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #state: State = 'open';

  constructor(target: { host: string; port: number }) {
    this.#target = target;
    this.#server = createServer((near) => this.#accept(near));
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  cut(): void {
    this.#state = 'cut';
    this.#destroyAll();
  }

  stall(): void {
    this.#state = 'stalled';
    for (const socket of this.#sockets) socket.pause();
  }

  mend(): void {
    this.#state = 'open';
    // A stalled connection has lost bytes, so it cannot be resumed.
    this.#destroyAll();
  }

  close(): Promise<void> {
    this.#destroyAll();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #destroyAll(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #accept(near: Socket): void {
    if (this.#state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(this.#target);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        if (this.#state === 'open') to.write(chunk);
      });
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
    if (this.#state === 'stalled') near.pause();
  }
}
