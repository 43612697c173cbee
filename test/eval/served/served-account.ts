import { decideBucket, type RoutingPolicy } from '@gateway/contracts';
import type { CatalogModel } from '@gateway/model-catalog';
import { billSession } from '../sessions/bill.ts';
import { priceOf } from '../sessions/measure-list.ts';
import { resize, type PromptSize } from '../sessions/prompt-sizes.ts';
import type { ReplaySubject } from '../sessions/replay.ts';
import { replaySession, replayStateless } from '../sessions/replay-session.ts';

/** A conversation as the gateway serves it under one policy. */
export interface Served {
  /** Number of needed tools that were pruned when they were first needed. */
  readonly missed: number;
  readonly isArmed: boolean;
  /** The mean share of the list that was forwarded. */
  readonly kept: number;
  /** The billed cost in tokens at the regular input price, by prompt size. */
  readonly cost: Readonly<Record<PromptSize, number>>;
}

/** A conversation, which the real planner serves under any policy. */
export class ServedConversation {
  readonly #subject: ReplaySubject;
  readonly #model: CatalogModel;
  readonly #served = new Map<string, Promise<Served>>();
  /** The bucket that its first turn and its list belong to, as `<intent>:<band>`. */
  bucket = '';
  /** The labels of its needed tools, descending. */
  neededKs: readonly number[] = [];
  /** The cost of sending every tool with every request. */
  whole: Readonly<Record<PromptSize, number>> = { small: 0, large: 0 };

  constructor(subject: ReplaySubject, model: CatalogModel) {
    this.#subject = subject;
    this.#model = model;
  }

  get tools(): number {
    return this.#subject.list.tools.length;
  }

  /** Replays the conversation in shadow, as the router does. */
  async label(recallTarget: number): Promise<void> {
    const { bucket, heldFromK } = await replaySession(this.#subject, {
      ...{ net: 'priced', kOverride: null, recallTarget, isShadow: true },
      price: priceOf(this.#model),
    });
    this.bucket = bucket;
    this.neededKs = [...heldFromK.values()].sort((one, other) => other - one);
    this.whole = await this.#bill((subject) => replayStateless(subject, null));
  }

  /** Replays the conversation under a policy. Policies with equal decisions share one replay. */
  serve(policy: RoutingPolicy | null, recallTarget: number): Promise<Served> {
    const [intent = ''] = this.bucket.split(':');
    const decision = decideBucket(policy, { intent, tools: this.tools });
    const { state, k, kWithoutRecovery, recoveryRate } = decision;
    const key = JSON.stringify(
      state === 'prior' ? [recallTarget, recoveryRate] : [state, k, kWithoutRecovery],
    );
    const kept = this.#served.get(key) ?? this.#replay(policy, recallTarget);
    this.#served.set(key, kept);
    return kept;
  }

  async #replay(policy: RoutingPolicy | null, recallTarget: number): Promise<Served> {
    const settings = { net: 'priced', kOverride: null, recallTarget, policy } as const;
    const price = priceOf(this.#model);
    const outcome = await replaySession(this.#subject, { ...settings, price });
    return {
      missed: outcome.missed.length,
      isArmed: outcome.isArmed,
      kept: outcome.kept,
      cost: await this.#bill((subject) => replaySession(subject, { ...settings, price })),
    };
  }

  async #bill(
    replay: (subject: ReplaySubject) => ReturnType<typeof replaySession>,
  ): Promise<Record<PromptSize, number>> {
    const billed = async (size: PromptSize): Promise<number> =>
      billSession(this.#model, (await replay(resize(this.#subject, size))).calls);
    return { small: await billed('small'), large: await billed('large') };
  }
}
