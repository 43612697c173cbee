import { hashToolList } from '@gateway/contracts';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { PlanToolsReply, PlanToolsRequest, RoutingPolicy, ToolDefinition } from '@gateway/contracts';
import { createLogger, createMetrics } from '@gateway/observability';
import { ToolIntake, ToolMemory } from '../../../apps/tool-router/src/tool-index/tool-memory.ts';
import { recallPriors } from '../../../apps/tool-router/src/policy/recall-prior.ts';
import { ToolPlanner } from '../../../apps/tool-router/src/plan-tools/plan-tools.ts';
import { LoopShare } from '../../../libs/messaging/src/loop-share.ts';
import { TimeShare } from '../../../libs/messaging/src/time-share.ts';
import { openRanking, type Ranking } from '../../../apps/tool-router/src/ranking/open-ranking.ts';
import type { EncoderChoice } from '../../../apps/tool-router/src/ranking/ranker.port.ts';
import {
  noSharedVectors,
  type SharedVectors,
} from '../../../apps/tool-router/src/vectors/shared-vectors.port.ts';

const root = join(import.meta.dirname, '../../..');
const mebibyte = 1024 * 1024;

export interface ListOfTools {
  readonly tools: readonly ToolDefinition[];
  readonly hashes: readonly string[];
  readonly listHash: string;
}

interface BenchOptions {
  /** The encoders of the router. `both` means that both encoders rank the lists that the second encoder has encoded. */
  readonly encoders: EncoderChoice;
  readonly shared?: SharedVectors;
  /** The account's routing policy. The default is a new account without a policy. */
  readonly policy?: RoutingPolicy | null;
}

type Planned = Extract<PlanToolsReply, { status: 'planned' }>;

/** The additional fields of a conversation's second and later requests. */
export type LaterFields = Partial<Pick<PlanToolsRequest, 'session' | 'calledTools' | 'recentResults'>>;

export function listOf(tools: readonly ToolDefinition[]): ListOfTools {
  const hashes = tools.map(({ hash }) => hash);
  return { tools, hashes, listHash: hashToolList(hashes) };
}

/**
 * Creates the tool router like the service does, but without NATS. The benchmark measures how much a plan
 * costs in the router process.
 */
export class RouterUnderTest {
  readonly ranking: Ranking;
  readonly memory: ToolMemory;
  readonly #planner: ToolPlanner;
  readonly #intake: ToolIntake;

  private constructor(ranking: Ranking, memory: ToolMemory, share: LoopShare, policy: RoutingPolicy | null) {
    this.ranking = ranking;
    this.memory = memory;
    this.#intake = new ToolIntake({ memory, learn: ranking.learn, share });
    this.#planner = new ToolPlanner({
      lists: memory,
      ranker: ranking.ranker,
      chooseEncoders: ranking.chooseEncoders,
      priors: recallPriors,
      policies: { find: () => policy },
      share,
      instanceId: 'bench',
    });
  }

  /** Opens a router with the shipped models and the router service's limits. */
  static async open({
    encoders,
    shared = noSharedVectors,
    policy = null,
  }: BenchOptions): Promise<RouterUnderTest> {
    const memory = new ToolMemory({
      definitionsBytesMax: 32 * mebibyte,
      listsBytesMax: 32 * mebibyte,
    });
    const metrics = createMetrics('tool-router');
    // A single account may use all processor time, as in the service.
    // The benchmark never reaches the job limits below.
    const time = { contendedShare: 1, burstMs: 50 };
    const jobs = {
      slots: 64,
      slotsPerAccount: 64,
      waitingPerAccountMax: 64,
      waitingMax: 64,
      waitMsMax: 60_000,
    };
    const loop = new LoopShare({ ...time, pieceMs: 2, jobs });
    const ranking = await openRanking({
      encoderDir: process.env['ROUTER_ENCODER_DIR'] ?? join(root, 'models/encoder'),
      secondEncoderDir: encoders === 'both' ? join(root, 'models/minilm') : null,
      rerankerDir: process.env['ROUTER_RERANKER_DIR'] ?? join(root, 'models/reranker'),
      threads: 1,
      // The time budget is long, so that a slow ranking does not cause a change of ranking method.
      budgetMs: 60_000,
      shared,
      logger: createLogger({ service: 'tool-router', instanceId: 'bench', level: 'error' }),
      metrics,
      shares: { loop, vectors: new TimeShare(time) },
      onForgotten: (listHash, hashes) => memory.forget(listHash, hashes),
    });
    return new RouterUnderTest(ranking, memory, loop, policy);
  }

  async define({ tools }: ListOfTools): Promise<void> {
    await this.#intake.define(tools);
  }

  /**
   * Plans which tools to send for a user turn.
   * @throws if the router does not know the tool list
   */
  async plan(
    { listHash, hashes }: ListOfTools,
    turn: string | readonly string[],
    later: LaterFields = {},
  ): Promise<Planned> {
    const request: PlanToolsRequest = {
      accountId: '019a9f5e-0000-7000-8000-000000000001',
      requestId: randomUUID(),
      listHash,
      toolHashes: [...hashes],
      userTurns: typeof turn === 'string' ? [turn] : [...turn],
      calledTools: [],
      recentResults: [],
      forcedTools: [],
      pinned: [],
      kOverride: null,
      recallTarget: 0.95,
      ...later,
    };
    const reply = await this.#planner.plan(request);
    if (reply.status !== 'planned') throw new Error('the router does not know the tool list');
    return reply;
  }

  /** Waits until the first encoder has computed all pending vectors. */
  async settleFirst(): Promise<void> {
    while (this.ranking.vectors.pending > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  /** Waits until both encoders have computed all pending vectors. */
  async settle(): Promise<void> {
    await this.settleFirst();
    const second = this.ranking.secondVectors;
    while ((second?.pending ?? 0) > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  close(): Promise<void> {
    return this.ranking.close();
  }
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

export const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** The CPU time in milliseconds that all threads of this process have used since the start. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
