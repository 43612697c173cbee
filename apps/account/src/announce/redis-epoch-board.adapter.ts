import { epochKeptSeconds } from '@gateway/contracts';
import type { Redis } from 'ioredis';
import type { EpochBoard } from './change-announcer.ts';

/**
 * Maximum number of epochs (change numbers) that wait to be written to Redis. If more epochs wait, the oldest
 * waiting epochs are dropped. Losing an epoch is safe, because gateways reload cached grants every 10 s.
 */
const waitingMax = 10_000;
/**
 * Interval in milliseconds between attempts to write epochs (change numbers) to Redis. Even a connected Redis
 * server can reject writes, for example if it is a replica that has not been promoted yet.
 */
const againMs = 1_000;

/**
 * Stores an epoch (change number) if it is higher than the stored epoch. Announcements can arrive out of order,
 * because changes are announced after their transactions commit. A positive epoch never replaces a negative epoch,
 * because a negative epoch marks a deletion or revocation. Epochs are written even while Redis is out of memory,
 * because they are small and expire.
 */
const writeNewest = `#!lua flags=allow-oom
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

/**
 * Stores the latest epoch (change number) of each account and key in the Redis server for caches.
 * The stored epochs expire after some time.
 */
export class RedisEpochBoard implements EpochBoard {
  readonly #redis: Redis & EpochCommands;
  readonly #waiting = new Map<string, number>();
  #again: NodeJS.Timeout | undefined;

  /**
   * @param redis the client, which must not queue commands while it is offline. The class `RedisEpochBoard`
   * queues the writes itself, up to a limit.
   */
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
