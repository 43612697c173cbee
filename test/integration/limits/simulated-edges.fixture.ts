import { randomFrom } from '@gateway/testing';
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import {
  dayOf,
  type BudgetLimits,
  type BudgetState,
  type BudgetStore,
  type BudgetSync,
} from '../../../apps/edge-gateway/src/budgets/budget-store.port.ts';
import { KeyBudget } from '../../../apps/edge-gateway/src/budgets/key-budget.ts';
import { RedisBudgetStore } from '../../../apps/edge-gateway/src/budgets/redis-budget-store.adapter.ts';
import { StoreHealth } from '../../../apps/edge-gateway/src/budgets/store-health.ts';
import { isReserved } from './replicas.fixture.ts';

/** A budget store that can lose replies. */
class LossyStore implements BudgetStore {
  /** The number of upcoming syncs that reach the store, but get no reply. */
  lostReplies = 0;
  /** Whether the edge has reported its usage since the last data loss. */
  hasReported = true;
  readonly #store: RedisBudgetStore;

  constructor(redis: Redis) {
    this.#store = new RedisBudgetStore(redis, randomUUID());
  }

  async sync(sync: BudgetSync): Promise<BudgetState | null> {
    const state = await this.#store.sync(sync);
    if (this.lostReplies > 0) {
      this.lostReplies -= 1;
      throw new Error('the reply was lost');
    }
    this.hasReported = true;
    return state;
  }

  nameData(): Promise<string> {
    return this.#store.nameData();
  }
}

interface Edge {
  readonly budget: KeyBudget;
  readonly store: LossyStore;
}

/**
 * Edges that share the budget of one key in a real Redis. The test decides when each edge syncs, and when Redis
 * loses its data.
 */
export class SimulatedEdges {
  /** Number of tokens that all edges have saved. */
  saved = 0;
  readonly #redis: Redis;
  readonly #limits: BudgetLimits;
  readonly #accountId = randomUUID();
  readonly #name = `budget:{${this.#accountId}}:key`;
  readonly #edges: Edge[];
  readonly #random: () => number;
  /** The saved tokens that the simulated request log contains, which may be fewer than `saved`. */
  #logged = 0;
  #backup: Record<string, string> = {};
  #dataSince = 0;

  constructor(redis: Redis, limits: BudgetLimits, { edges, seed }: { edges: number; seed: number }) {
    this.#redis = redis;
    this.#limits = limits;
    this.#random = randomFrom(seed);
    this.#edges = Array.from({ length: edges }, () => this.#startEdge());
  }

  /** Sends every edge's state to Redis, and then returns the tokens that Redis counts for today. */
  async syncAll(): Promise<number> {
    for (const { budget } of this.#edges) await this.#sync(budget);
    const [, today = 0] = (await this.#redis.hget(this.#name, 'spent'))!.split(' ').map(Number);
    return today;
  }

  /** Starts the simulation with a first saving, which is settled, logged and backed up. */
  async start(): Promise<void> {
    await this.#nameData();
    await this.#spend();
    await this.#keepRecords();
  }

  /** Saves up to 1,000 tokens through a random edge, if the edge can reserve the tokens. */
  async #spend(): Promise<void> {
    const tokens = 1 + Math.floor(this.#random() * 1_000);
    const answer = await this.#pick().budget.reserve(tokens, this.#limits);
    if (!isReserved(answer)) return;
    answer.settle(tokens);
    this.saved += tokens;
  }

  /** Takes one random step: spends, syncs, loses a reply, loses data, or restarts an edge. */
  async step(): Promise<void> {
    const drawn = this.#random();
    if (drawn < 0.5) await this.#spend();
    else if (drawn < 0.7) await this.#sync(this.#pick().budget);
    else if (drawn < 0.8) await this.#loseReply();
    else if (drawn < 0.87) await this.#lose({});
    else if (drawn < 0.94) await this.#lose(this.#backup);
    else await this.#restart();
  }

  async #loseReply(): Promise<void> {
    const { budget, store } = this.#pick();
    await budget.sync();
    store.lostReplies = 1;
    await budget.sync();
    await budget.sync();
  }

  /** Syncs all settled tokens, with two calls, because the first may return a sync from before the last settlement. */
  async #sync(budget: KeyBudget): Promise<void> {
    await budget.sync(false);
    await budget.sync(false);
  }

  /**
   * Replaces the data in Redis, as after a restart with an older backup or without data. Each edge reports its usage
   * within a second after a data loss, so all edges have reported before the next data loss.
   */
  async #lose(left: Record<string, string>): Promise<void> {
    for (const { budget, store } of this.#edges) if (!store.hasReported) await this.#sync(budget);
    for (const { store } of this.#edges) store.hasReported = false;
    await this.#redis.del(this.#name);
    if (Object.keys(left).length > 0) await this.#redis.hset(this.#name, left);
    await this.#nameData();
  }

  /** Replaces an edge with a new edge, which starts without any stored usage. */
  async #restart(): Promise<void> {
    await this.#keepRecords();
    this.#edges[Math.floor(this.#random() * this.#edges.length)] = this.#startEdge();
  }

  /** Settles all savings, and updates the request log and the backup. */
  async #keepRecords(): Promise<void> {
    await this.syncAll();
    this.#logged = this.saved;
    this.#backup = await this.#redis.hgetall(this.#name);
  }

  /** Gives the budget data a new name, as after a restart of Redis that left all edges enough time to report. */
  async #nameData(): Promise<void> {
    this.#dataSince += 1;
    await this.#redis.set('budget:data', `test ${this.#dataSince}`);
  }

  #startEdge(): Edge {
    const store = new LossyStore(this.#redis);
    const budget = new KeyBudget({
      ...{ accountId: this.#accountId, keyId: 'key', store, now: Date.now },
      health: new StoreHealth(Date.now, () => undefined),
      memory: { instance: 1, spent: null, generation: 0, confirmedTokens: 0 },
      loadSpent: () =>
        Promise.resolve({ day: dayOf(Date.now()), today: this.#logged, thisWeek: this.#logged }),
      onDirty: () => undefined,
    });
    return { budget, store };
  }

  #pick(): Edge {
    return this.#edges[Math.floor(this.#random() * this.#edges.length)]!;
  }
}
