import { decideBucket, type RoutingPolicy } from '@gateway/contracts';
import type { CatalogModel } from '@gateway/model-catalog';
import { recallAt } from '../../../apps/tool-router/src/policy/recall-prior.ts';
import { billSession } from '../sessions/bill.ts';
import { priceOf } from '../sessions/point.ts';
import { resize, type PromptSize } from '../sessions/prompt-sizes.ts';
import type { ReplayOutcome, ReplaySettings, ReplaySubject } from '../sessions/replay.ts';
import { planFirst, replaySession, replayStateless } from '../sessions/replay-session.ts';

/** How the gateway served a conversation under one routing policy. */
export interface Served {
  /** The number of needed tools that were not forwarded when the model first needed them. */
  readonly missed: number;
  readonly isArmed: boolean;
  /** The mean share of the tool list that was forwarded to the model. */
  readonly kept: number;
}

/** The prompt size in a replay. The value `own` selects the recorded prompt size. */
type Length = PromptSize | 'own';

/** A conversation that can be served by the real planner under any routing policy. */
export class ServedConversation {
  readonly #model: CatalogModel;
  readonly #subjects: Readonly<Record<Length, ReplaySubject>>;
  readonly #served = new WeakMap<RoutingPolicy, Promise<Served>>();
  readonly #keys = new Map<string, Promise<string>>();
  readonly #replays = new Map<string, Promise<ReplayOutcome>>();
  /** The conversation's bucket, as `<intent>:<band>`, which depends on the first turn and the tool list. */
  bucket = '';
  /**
   * For each needed tool of the conversation, the smallest K that forwards the tool. The K values are in
   * descending order.
   */
  neededKs: readonly number[] = [];
  /** What the conversation would cost if every request sent all tools. */
  whole: Readonly<Record<PromptSize, number>> = { small: 0, large: 0 };

  constructor(subject: ReplaySubject, model: CatalogModel) {
    this.#model = model;
    this.#subjects = { own: subject, small: resize(subject, 'small'), large: resize(subject, 'large') };
  }

  get tools(): number {
    return this.#subjects.own.list.tools.length;
  }

  /** Replays the conversation as a shadow conversation, like the tool router does. */
  async label(recallTarget: number): Promise<void> {
    const { own, small, large } = this.#subjects;
    const settings = { ...this.#settings(null, recallTarget), isShadow: true };
    const { bucket, heldFromK } = await replaySession(own, settings);
    this.bucket = bucket;
    this.neededKs = [...heldFromK.values()].sort((one, other) => other - one);
    const costOf = async (subject: ReplaySubject): Promise<number> =>
      billSession(this.#model, (await replayStateless(subject, null)).calls);
    this.whole = { small: await costOf(small), large: await costOf(large) };
  }

  /** Replays the conversation under a routing policy. */
  serve(policy: RoutingPolicy | null, recallTarget: number): Promise<Served> {
    const known = policy === null ? undefined : this.#served.get(policy);
    if (known !== undefined) return known;
    const served = this.#replay('own', policy, recallTarget).then(({ missed, isArmed, kept }) => ({
      ...{ missed: missed.length, isArmed, kept },
    }));
    if (policy !== null) this.#served.set(policy, served);
    return served;
  }

  /**
   * Returns the billed cost under a routing policy for each prompt size. Costs are in units of one token at
   * the regular input price.
   */
  async bill(policy: RoutingPolicy, recallTarget: number): Promise<Record<PromptSize, number>> {
    const costOf = async (size: PromptSize): Promise<number> =>
      billSession(this.#model, (await this.#replay(size, policy, recallTarget)).calls);
    return { small: await costOf('small'), large: await costOf('large') };
  }

  /**
   * Replays the conversation. Policies that lead to the same tool sets have the same replays, so each tool
   * set is replayed only once.
   */
  async #replay(length: Length, policy: RoutingPolicy | null, recallTarget: number): Promise<ReplayOutcome> {
    const [intent = ''] = this.bucket.split(':');
    const { state, k, kWithoutRecovery, recoveryRate, steps, learned } = decideBucket(policy, {
      ...{ intent, tools: this.tools },
    });
    // Account heads differ between splits, so these replays are not stored.
    if (learned !== null) return replaySession(this.#subjects[length], this.#settings(policy, recallTarget));
    const decision =
      state === 'calibrated'
        ? [state, k, kWithoutRecovery, Math.round(1000 * recallAt(steps, k ?? 0))]
        : [state, recallTarget, recoveryRate];
    const settings = this.#settings(policy, recallTarget);
    const key = await remember(this.#keys, `${length} ${decision.join(' ')}`, async (whole) => {
      const first = await planFirst(this.#subjects[length], settings);
      if (state !== 'calibrated' || first.isUndecided) return whole;
      if (first.forwarded.length === this.tools) return `${length} all`;
      const { armed, way } = first.recovery;
      return `${length} ${armed ? `${String(k)} ${way}` : `${String(kWithoutRecovery)} without recovery`}`;
    });
    return remember(this.#replays, key, () => replaySession(this.#subjects[length], settings));
  }

  #settings(policy: RoutingPolicy | null, recallTarget: number): ReplaySettings {
    return { net: 'priced', kOverride: null, recallTarget, policy, price: priceOf(this.#model) };
  }
}

function remember<Value>(
  known: Map<string, Promise<Value>>,
  key: string,
  make: (key: string) => Promise<Value>,
): Promise<Value> {
  const value = known.get(key) ?? make(key);
  known.set(key, value);
  return value;
}
