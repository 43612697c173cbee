import { epochKeptSeconds } from '@gateway/contracts';
import type { Redis } from 'ioredis';
import type { EpochBoard } from './epoch-board.port.ts';

/** Epochs that wait for Redis to come back. Beyond that the oldest go: grants are asked for again every 10 s anyway. */
const waitingMax = 10_000;
/** A Redis that is there may refuse all the same: out of memory, or a replica that is not promoted yet. */
const againMs = 1_000;

/** Changes are announced after their commits, so not always in their order: the newest stays, and an end is final. */
const writeNewest = `
local known = tonumber(redis.call('GET', KEYS[1])) or 0
local new = tonumber(ARGV[1])
if known < 0 and new > 0 then return 0 end
if math.abs(new) < math.abs(known) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
`;

interface EpochCommands {
  writeNewestEpoch(name: string, epoch: number, seconds: number): Promise<number>;
}

/** The board in the cache's Redis. Each entry ends by itself. */
export class RedisEpochBoard implements EpochBoard {
  readonly #redis: Redis & EpochCommands;
  readonly #waiting = new Map<string, number>();
  #again: NodeJS.Timeout | undefined;

  /** @param redis without an offline queue: what waits is bounded here. */
  constructor(redis: Redis) {
    redis.defineCommand('writeNewestEpoch', { numberOfKeys: 1, lua: writeNewest });
    this.#redis = redis as Redis & EpochCommands;
    redis.on('ready', () => this.#writeWaiting());
  }

  write(name: string, epoch: number): void {
    this.#redis.writeNewestEpoch(name, epoch, epochKeptSeconds).catch(() => this.#wait(name, epoch));
  }

  #wait(name: string, epoch: number): void {
    this.#again ??= setTimeout(() => this.#writeWaiting(), againMs).unref();
    const known = this.#waiting.get(name) ?? 0;
    if (Math.abs(known) > Math.abs(epoch)) return;
    this.#waiting.delete(name);
    this.#waiting.set(name, epoch);
    if (this.#waiting.size <= waitingMax) return;
    for (const oldest of this.#waiting.keys()) {
      this.#waiting.delete(oldest);
      return;
    }
  }

  #writeWaiting(): void {
    clearTimeout(this.#again);
    this.#again = undefined;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const [name, epoch] of waiting) this.write(name, epoch);
  }
}
