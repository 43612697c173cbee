import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { leaseMs, TokenLeases, type Lease } from '../../../apps/edge-gateway/src/rate-limits/token-leases.ts';
import { windowScript, type WindowReply } from '../../../apps/edge-gateway/src/rate-limits/window-script.ts';

/** The gateway's rate limit script, changed so that the test controls the time. */
const scriptAtTestTime = windowScript.replace("redis.call('TIME')", '{ARGV[10], ARGV[11]}');
if (scriptAtTestTime === windowScript) throw new Error('the window script does not call TIME');

interface TimedRedis {
  admitAt(key: string, epoch: string, account: string, ...args: number[]): Promise<WindowReply>;
}

/** A pseudorandom generator that returns numbers from 0 to 1. */
type Draw = () => number;

interface Replica {
  leases: TokenLeases;
  /**
   * The number of the replica's current process, which increases with each restart. A restarted process does
   * not receive replies that were meant for an earlier process.
   */
  life: number;
  waiting: number;
  isAsking: boolean;
}

interface Call {
  readonly asked: number;
  readonly wanted: number;
  readonly returned: number;
  readonly returnedTo: number;
}

const quiet: Call = { asked: 0, wanted: 0, returned: 0, returnedTo: 0 };

/**
 * Simulates gateway replicas that share one rate limit window, in simulated time. Requests arrive in bursts,
 * and messages take up to 40 ms in each direction. Timers fire late, and processes restart and lose their
 * leases.
 */
export class SimulatedReplicas {
  /** The simulated milliseconds at which each request was admitted. */
  readonly admittedAt: number[] = [];
  /** The number of requests that a replica admitted under a lease. */
  leasedCount = 0;
  readonly #redis: TimedRedis;
  readonly #limit: number;
  readonly #draw: Draw;
  readonly #key = `rpm:{simulated}:${randomUUID()}`;
  readonly #replicas: Replica[];
  readonly #events: { readonly at: number; readonly run: () => Promise<void> | void }[] = [];
  #now = 0;

  constructor(redis: Redis, limit: number, replicas: number, draw: Draw) {
    this.#limit = limit;
    this.#draw = draw;
    redis.defineCommand('admitAt', { numberOfKeys: 3, lua: scriptAtTestTime });
    this.#redis = redis as Redis & TimedRedis;
    this.#replicas = Array.from({ length: replicas }, () => ({
      leases: new TokenLeases(),
      life: 0,
      waiting: 0,
      isAsking: false,
    }));
  }

  /** Schedules the given number of requests to arrive at a random replica. */
  burst(at: number, requests: number): void {
    this.#at(at, () => {
      const replica = this.#pick();
      for (let request = 0; request < requests; request += 1) {
        this.#at(at + this.#draw() * 30, () => this.#arrive(replica));
      }
    });
  }

  restart(at: number): void {
    this.#at(at, () => {
      const replica = this.#pick();
      Object.assign(replica, {
        leases: new TokenLeases(),
        life: replica.life + 1,
        waiting: 0,
        isAsking: false,
      });
    });
  }

  /** Runs all simulated events in chronological order. */
  async run(): Promise<void> {
    for (let next = this.#earliest(); next !== undefined; next = this.#earliest()) {
      this.#now = next.at;
      await next.run();
    }
  }

  #arrive(replica: Replica): void {
    replica.leases.note(this.#now);
    if (replica.leases.take(this.#now) === null) replica.waiting += 1;
    else {
      this.admittedAt.push(this.#now);
      this.leasedCount += 1;
      if (!replica.leases.isRunningOut(this.#now)) return;
    }
    if (!replica.isAsking) this.#ask(replica);
  }

  #ask(replica: Replica): void {
    const { life, leases, waiting: asked } = replica;
    const sentAt = this.#now;
    replica.isAsking = true;
    replica.waiting = 0;
    this.#at(sentAt + this.#draw() * 40, async () => {
      const reply = await this.#call({ ...quiet, asked, wanted: leases.wanted });
      const countedAt = this.#now;
      for (let admitted = 0; admitted < reply[0]; admitted += 1) this.admittedAt.push(countedAt);
      this.#at(countedAt + this.#draw() * 40, () => this.#receive(replica, { life, reply, sentAt }));
    });
  }

  #receive(
    replica: Replica,
    { life, reply, sentAt }: { life: number; reply: WindowReply; sentAt: number },
  ): void {
    if (replica.life !== life) return;
    const [, countAfter, emptyMs, , epoch, tokens, step] = reply;
    replica.isAsking = false;
    const expiresAtMs = sentAt + leaseMs;
    if (tokens > 0) {
      const lease: Lease = { tokens, countAfter, expiresAtMs, emptyAtMs: this.#now + emptyMs, epoch, step };
      replica.leases.add(lease);
      const endsAt = Math.max(this.#now, expiresAtMs) + this.#draw() * 30;
      this.#at(endsAt, () => {
        if (replica.life === life) this.#giveBack(replica.leases.end(lease), step);
      });
    }
    while (replica.waiting > 0 && replica.leases.take(this.#now) !== null) {
      replica.waiting -= 1;
      this.leasedCount += 1;
      this.admittedAt.push(this.#now);
    }
    if (replica.waiting > 0) this.#ask(replica);
  }

  #giveBack(returned: number, returnedTo: number): void {
    if (returned === 0) return;
    this.#at(this.#now + this.#draw() * 40, async () => {
      await this.#call({ ...quiet, returned, returnedTo });
    });
  }

  #call({ asked, wanted, returned, returnedTo }: Call): Promise<WindowReply> {
    const micros = Math.floor(this.#now * 1000);
    const time = [Math.floor(micros / 1_000_000), micros % 1_000_000];
    const args = [this.#limit, asked, wanted, leaseMs, returned, returnedTo, 0, 0, 0, ...time];
    return this.#redis.admitAt(this.#key, 'epoch:none', 'epoch:none', ...args);
  }

  #pick(): Replica {
    return this.#replicas[Math.floor(this.#draw() * this.#replicas.length)] as Replica;
  }

  #at(at: number, run: () => Promise<void> | void): void {
    let index = this.#events.length;
    while (index > 0 && (this.#events[index - 1]?.at ?? 0) < at) index -= 1;
    this.#events.splice(index, 0, { at, run });
  }

  #earliest() {
    return this.#events.pop();
  }
}
