import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** The requests that a hostile account sends repeatedly. */
export interface HostileLoad {
  readonly baseUrl: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request body. Each request replaces `{n}` with a different number. */
  readonly body?: string;
  readonly concurrency: number;
  /** The mean pause in milliseconds of each sender after a response. */
  readonly pauseMs: number;
}

/** The number of responses by HTTP status. Status 0 stands for a broken connection. */
export type Statuses = Readonly<Record<string, number>>;

export type HostileCommand =
  { readonly kind: 'send'; readonly load: HostileLoad } | { readonly kind: 'pause' | 'report' };
/**
 * A message from the hostile account's process. The first message contains the provider's base URL. Each later
 * message contains the number of responses since the process started, by status.
 */
export type HostileReply = { readonly providerUrl: string } | { readonly statuses: Statuses };

const script = join(import.meta.dirname, 'hostile-account.child.ts');

/** A hostile account in a separate process, which has its own operating system session. */
export class HostileAccount {
  readonly #child: ChildProcess;
  /**
   * The base URL of the hostile account's provider. Provider calls under `/hangs` get no response until the
   * hostile account pauses.
   */
  readonly providerUrl: string;

  private constructor(child: ChildProcess, providerUrl: string) {
    this.#child = child;
    this.providerUrl = providerUrl;
  }

  static async start(): Promise<HostileAccount> {
    const child = fork(script, { execArgv: ['--disable-warning=ExperimentalWarning'], detached: true });
    const [ready] = (await once(child, 'message')) as [{ providerUrl: string }];
    return new HostileAccount(child, ready.providerUrl);
  }

  /** Makes the hostile account start its requests. */
  send(load: HostileLoad): Promise<Statuses> {
    return this.#command({ kind: 'send', load });
  }

  /** Returns the number of responses by status since the process started. */
  report(): Promise<Statuses> {
    return this.#command({ kind: 'report' });
  }

  /** Stops sending requests, and waits for all outstanding responses. */
  pause(): Promise<Statuses> {
    return this.#command({ kind: 'pause' });
  }

  stop(): void {
    this.#child.disconnect();
  }

  async #command(command: HostileCommand): Promise<Statuses> {
    const replied = once(this.#child, 'message');
    this.#child.send(command);
    const [{ statuses }] = (await replied) as [{ statuses: Statuses }];
    return statuses;
  }
}
