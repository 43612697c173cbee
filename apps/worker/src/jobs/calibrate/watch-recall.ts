import { neededKOf } from './measure-bucket.ts';
import { MissWatch, RankWatch, type Likelihood, type RecallWatch } from './recall-watch.ts';
import { blockMax, dateLength } from './recovery-blocks.ts';
import { RecoveryWatch, type RecoveryLikelihood } from './recovery-watch.ts';
import { findChange, type Setup } from './setup-change.ts';

/** The worker tests for a drop in recall only if the reference contains at least this many shadow conversations. */
export const referenceMin = 59;
/** Growth of the reference in conversations, as a share, after which the reference is estimated again. */
const growth = 0.1;
/**
 * A CUSUM (cumulative sum) test raises more false alarms if each conversation carries more information (in
 * nats). A higher alarm threshold reduces the false alarms exponentially (Siegmund, "Sequential analysis",
 * 1985, chapter 2). The alarm threshold is the logarithm of the product of `alarmMultiple` and the
 * information. `npm run eval:calibration -- --part quiet` counts the false alarms. The page
 * docs/internals/recall.md lists the results.
 */
const alarmMultiple = 1_000_000;
/**
 * Maximum number of conversations in a run of the CUSUM test. A drop of ten percentage points in recall can be
 * confirmed with fewer conversations. In a longer run, small errors in the reference conversations could look
 * like evidence of a drop. At the maximum length, the conversations of a run therefore join the reference, and
 * a new run starts. The limit on the run length follows the idea of window-limited tests (Lai, "Sequential
 * changepoint detection in quality control and dynamical systems", 1995).
 */
const runMax = 1_000;
const alarmMin = 7;
/** Share of the alarm threshold at which the evidence makes the worker suspect a drop in recall. */
export const suspectedShare = 0.25;
/**
 * Minimum evidence that must come from shadow conversations. More recoveries do not prove a drop in recall,
 * because a model may simply use the recovery tool more often.
 */
const shadowMin = Math.log(2);
/** Maximum evidence from one block of possibly similar conversations, as a share of the alarm threshold. */
const blockShareMax = 1 / 3;
/**
 * Evidence required for an alarm after the tool list, the model or the ranker has changed. After a setup change, the
 * time of a possible drop is known, so a sequential test needs less evidence. For each kind of drop, at most one of
 * 200 changes causes a false alarm (Ville's inequality).
 */
const changeAlarmAt = Math.log(200);
/** Number of shadow conversations that end the test for a drop in recall after a setup change. */
const retestSamples = 59;

/**
 * A conversation with evidence about recall (a shadow conversation, or a conversation served with pruned tools).
 */
export type WatchedConversation = {
  /** Time of the conversation's first request, as RFC 3339. */
  readonly at: string;
  readonly setup: Setup;
} & (
  | { readonly kind: 'shadow'; readonly neededKs: readonly number[]; readonly share: number }
  | { readonly kind: 'pruned'; readonly k: number; readonly recovered: number }
);

/**
 * In the state `usual`, no drop in recall is suspected. In the state `suspected`, recoveries are more frequent.
 * In the state `changed`, the tool list, the model or the ranker changed. In the states `suspected` and
 * `changed`, recall is tested again with more shadow conversations. In the state `fell`, shadow conversations
 * confirm a drop in recall.
 */
export interface RecallState {
  readonly state: 'usual' | 'suspected' | 'changed' | 'fell';
  /**
   * The estimated time of the first conversation after the drop or change. Null in the state
   * `usual`.
   */
  readonly since: string | null;
}

/**
 * Reads the conversations from oldest to newest, and tests whether forwarded recall at `k` has dropped by ten
 * points. `RankWatch` detects worse ranks of all needed tools, and `MissWatch` detects more missed tools.
 */
export function watchRecall(conversations: readonly WatchedConversation[], k: number): RecallState {
  const at = (place: number): string | null => conversations[place]?.at ?? null;
  const changedAt = findChange(conversations);
  const tests = [() => new RankWatch(k), () => new MissWatch(k)].flatMap((make) => {
    const change = changedAt === null ? null : testChange(conversations, make(), changedAt);
    return [runCusum(conversations, make()), change].filter((evidence) => evidence !== null);
  });
  const fell = tests.find(({ nats, alarmAt, shadowNats }) => nats >= alarmAt && shadowNats >= shadowMin);
  if (fell !== undefined) return { state: 'fell', since: at(fell.startedAt) };
  if (changedAt !== null && isTesting(conversations, changedAt))
    return { state: 'changed', since: at(changedAt) };
  const suspected = tests.find(({ nats, alarmAt }) => nats >= alarmAt * suspectedShare);
  return suspected === undefined
    ? { state: 'usual', since: null }
    : { state: 'suspected', since: at(suspected.startedAt) };
}

/** Evidence for a drop in recall, taken from the conversations since `startedAt`. */
interface Evidence {
  /**
   * The logarithm of a likelihood ratio. The ratio is the probability of the observed conversations after
   * a drop in recall, divided by their probability without a drop.
   */
  readonly nats: number;
  readonly shadowNats: number;
  readonly startedAt: number;
  readonly alarmAt: number;
}

/**
 * A cumulative sum test, CUSUM (Page, "Continuous inspection schemes", 1954). The conversations before the
 * current run are the reference. A run ends at its maximum length, or when the evidence for a drop is no
 * longer positive.
 */
function runCusum(conversations: readonly WatchedConversation[], watch: RecallWatch): Evidence | null {
  const reference = new Reference(watch);
  let startedAt = reference.addUntil(conversations, ({ samples }) => samples >= referenceMin);
  if (reference.samples < referenceMin) return null;
  let fitted = reference.fit();
  let run = new Run(fitted);
  for (let at = startedAt; at < conversations.length; at += 1) {
    const conversation = conversations[at];
    if (conversation === undefined) break;
    run.add(conversation, fitted);
    if (run.nats > 0 && run.size < runMax) continue;
    for (; startedAt <= at; startedAt += 1) reference.add(conversations[startedAt]);
    if (startedAt >= fitted.size * (1 + growth)) fitted = reference.fit();
    run = new Run(fitted);
  }
  return { ...run.evidence, startedAt, alarmAt: fitted.alarmAt };
}

/**
 * A sequential test for a drop in recall with a known start (Wald, "Sequential tests of statistical
 * hypotheses", 1945).
 */
function testChange(
  conversations: readonly WatchedConversation[],
  watch: RecallWatch,
  changedAt: number,
): Evidence | null {
  const reference = new Reference(watch);
  reference.addUntil(conversations, ({ size }) => size >= changedAt);
  if (reference.samples < referenceMin) return null;
  const fitted = reference.fit();
  const run = new Run(fitted);
  for (const conversation of conversations.slice(changedAt)) run.add(conversation, fitted);
  return { ...run.evidence, startedAt: changedAt, alarmAt: changeAlarmAt };
}

function isTesting(conversations: readonly WatchedConversation[], changedAt: number): boolean {
  const samples = conversations.slice(changedAt).filter(({ kind }) => kind === 'shadow').length;
  return samples < retestSamples;
}

/** The sum of the evidence of consecutive conversations, with a limit for each block of similar conversations. */
class Run {
  readonly #natsMax: number;
  /** Number of the account's conversations that one observed conversation represents. */
  readonly #weight: number;
  #closed = 0;
  #open = 0;
  #count = 0;
  #day = '';
  #shadowNats = 0;
  /** The variance of the estimated usual shares, relative to the variance of one conversation, for each kind. */
  readonly #variances = { pruned: 0, shadow: 0 };
  /** Number of conversations in the current CUSUM run. */
  size = 0;

  constructor({ alarmAt, observed }: Fitted) {
    this.#natsMax = alarmAt * blockShareMax;
    this.#weight = 1 / observed;
  }

  get nats(): number {
    return this.#closed + Math.min(this.#natsMax, this.#open);
  }

  /**
   * The evidence for a drop in recall. The usual shares are estimated from a limited number of reference conversations,
   * so both the reference and the run contain sampling errors. To correct for the sampling errors, the evidence of
   * n conversations is multiplied by r / (r + n), where the reference has r conversations of the same kind.
   */
  get evidence(): Pick<Evidence, 'nats' | 'shadowNats'> {
    const { pruned, shadow } = this.#variances;
    const shadowNats = this.#shadowNats / (1 + shadow);
    return { nats: (this.nats - this.#shadowNats) / (1 + pruned) + shadowNats, shadowNats };
  }

  add(conversation: WatchedConversation, { ratioOf, sizeOf }: Fitted): void {
    const { at, kind } = conversation;
    const ratio = ratioOf(conversation);
    if (this.#day === '' || !at.startsWith(this.#day) || this.#count >= blockMax) {
      this.#closed = this.nats;
      this.#open = 0;
      this.#count = 0;
      this.#day = at.slice(0, dateLength);
    }
    this.#open += ratio;
    this.#count += this.#weight;
    this.size += 1;
    this.#variances[kind] += 1 / sizeOf(conversation);
    if (kind === 'shadow') this.#shadowNats += ratio;
  }
}

interface Fitted {
  /** Number of conversations in the reference when the model was last fitted. */
  readonly size: number;
  /**
   * The observed share of the account's conversations. If recovery is disabled, only shadow conversations are
   * observed.
   */
  readonly observed: number;
  readonly alarmAt: number;
  readonly ratioOf: (conversation: WatchedConversation) => number;
  /** The number of reference conversations that the conversation's usual shares were estimated from. */
  readonly sizeOf: (conversation: WatchedConversation) => number;
}

/** The reference conversations to which later conversations are compared. */
class Reference {
  readonly #watch: RecallWatch;
  readonly #recoveries = new RecoveryWatch();
  /** The K (number of ranked tools) that each shadow conversation required. */
  readonly #needed: number[] = [];
  /** The number of the account's conversations that the shadow conversations represent. */
  #traffic = 0;
  size = 0;

  constructor(watch: RecallWatch) {
    this.#watch = watch;
  }

  /** Number of shadow conversations in the reference. */
  get samples(): number {
    return this.#needed.length;
  }

  add(conversation: WatchedConversation | undefined): void {
    if (conversation === undefined) return;
    this.size += 1;
    if (conversation.kind === 'pruned') return this.#recoveries.addUsual(conversation);
    this.#watch.addUsual(conversation);
    this.#needed.push(neededKOf(conversation));
    this.#traffic += 1 / conversation.share;
  }

  /**
   * Adds conversations, starting with the oldest. Returns the index of the first conversation that was not
   * added.
   */
  addUntil(conversations: readonly WatchedConversation[], isDone: (reference: this) => boolean): number {
    for (const [at, conversation] of conversations.entries()) {
      if (isDone(this)) return at;
      this.add(conversation);
    }
    return conversations.length;
  }

  fit(): Fitted {
    const labels = this.#watch.fit();
    const { samples } = this;
    const recoveries = this.#recoveries.fit(this.#missShares(), samples);
    const share = samples / this.size;
    const nats = (1 - share) * recoveries.nats + (share * labels.nats) / recoveries.dispersion;
    const observed = Math.min(1, this.size / this.#traffic);
    return {
      ...{ size: this.size, observed },
      alarmAt: Math.max(alarmMin, Math.log(alarmMultiple * observed * nats)),
      ratioOf: (conversation) => ratioOf(conversation, labels, recoveries),
      sizeOf: (each) => (each.kind === 'shadow' ? samples : recoveries.sizeAt(each.k)),
    };
  }

  /**
   * The share of shadow conversations that need more than K ranked tools. Half a conversation is added to
   * both counts, so that the share is never 0 or 1.
   */
  #missShares(): (k: number) => number {
    const shares = new Map<number, number>();
    return (k) => {
      let share = shares.get(k);
      if (share === undefined) {
        const missed = this.#needed.filter((needed) => needed > k).length;
        share = (missed + 0.5) / (this.#needed.length + 1);
        shares.set(k, share);
      }
      return share;
    };
  }
}

function ratioOf(
  conversation: WatchedConversation,
  labels: Likelihood,
  recoveries: RecoveryLikelihood,
): number {
  if (conversation.kind === 'pruned') return recoveries.ratioOf(conversation);
  // Pruned and shadow conversations can be similar to each other, so their evidence is not independent.
  return labels.ratioOf(conversation) / recoveries.dispersion;
}
