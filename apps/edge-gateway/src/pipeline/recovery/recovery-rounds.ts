import { GatewayError } from '@gateway/errors';
import type { ResponseSummary, StreamEvent, TokenUsage } from '@gateway/interchange';
import { createSummary, summarize } from '@gateway/interchange';
import { failureOfError, failureOfStatus } from '../../backends/failure.ts';
import { passOver } from '../../upstream/answer-body.ts';
import type { UpstreamAnswer } from '../../upstream/upstream.port.ts';
import { isWithheld } from './judge-calls.ts';
import { noPriorRounds, type Continuation, type EarlierRounds, type PriorRounds } from './prior-rounds.ts';
import { RoundReducer, type RecoveryCall } from './round-reducer.ts';
import { allForwarded, RoundRequests, type NextRound } from './round-requests.ts';
import type { Recovery } from './recovery.ts';
import { sumUsage } from './sum-usage.ts';

/**
 * Maximum number of recovery rounds. After this number of rounds, the gateway sends one last request with every
 * tool and no recovery tool. One response to the client takes at most four provider requests, apart from retries of
 * failed calls.
 */
const recoveryRoundsMax = 2;

export interface RecoveryRoundsInput {
  readonly recovery: Recovery;
  readonly signal: AbortSignal;
  /** Recovery rounds of an earlier attempt from which the client received no bytes. */
  readonly earlier?: EarlierRounds | undefined;
  /** Returns whether the first byte of the response was sent to the client. */
  hasSent(): boolean;
  /** Estimates the usage of the latest provider call if the response reports no usage. */
  estimateUsage(charactersOut: number): TokenUsage;
  /** Sends the request for a recovery round. Rejects if `forward` rejects. */
  send(next: NextRound): Promise<UpstreamAnswer>;
}

/** Runs the recovery rounds for one response. This class handles every event of every recovery round. */
export class RecoveryRounds {
  readonly #given: RecoveryRoundsInput;
  readonly #requests: RoundRequests;
  #recovery: Recovery;
  #reducer: RoundReducer;
  #round = 0;
  #isLast: boolean;
  /** Whether the gateway is waiting for the next provider response. */
  #isBetween = false;
  #startsAfresh = false;
  #isUsageEstimated: boolean;
  #billed: readonly TokenUsage[];
  #summary: ResponseSummary = createSummary();

  constructor(given: RecoveryRoundsInput) {
    const { recovery, earlier } = given;
    this.#given = given;
    this.#isLast = earlier?.freshStart !== undefined;
    this.#recovery = this.#isLast ? allForwarded(recovery) : recovery;
    this.#requests = new RoundRequests(recovery, earlier?.freshStart?.recovered);
    this.#billed = earlier?.usages ?? [];
    this.#isUsageEstimated = earlier?.isUsageEstimated ?? false;
    this.#reducer = new RoundReducer(
      this.#recovery,
      { ...noPriorRounds, usages: this.#billed },
      this.#isLast,
    );
  }

  /** Number of provider calls that are hidden from the client. */
  get count(): number {
    return this.#round + (this.#given.earlier?.freshStart?.count ?? 0);
  }

  /** Whether the response to the client already includes an earlier provider response. */
  get isLaterRound(): boolean {
    return this.#round > 0;
  }

  /** Whether the recovery rounds ended without a response, so that the client's own request must be sent. */
  get startsAfresh(): boolean {
    return this.#startsAfresh;
  }

  /** The completed recovery rounds, from which another attempt can continue. */
  get earlier(): EarlierRounds {
    const made = { usages: this.#billed, isUsageEstimated: this.#isUsageEstimated };
    const isFresh = this.#startsAfresh || this.#given.earlier?.freshStart !== undefined;
    return isFresh ? { ...made, freshStart: { count: this.count, recovered: this.recovered } } : made;
  }

  /** The recovery that was created together with the plan. */
  get recovery(): Recovery {
    return this.#given.recovery;
  }

  /** The name of the recovery tool. */
  get recoveryToolName(): string {
    return this.#recovery.recoveryTool.name;
  }

  /** Whether the client requested usage data in a streamed response. */
  get streamsUsage(): boolean {
    return this.#given.recovery.streamsUsage;
  }

  /** Whether the model's response contains reasoning. */
  get hasReasoned(): boolean {
    return this.#reducer.kept.hasReasoned;
  }

  /** Tools that the model requested in unanswered recovery calls, by name or by description. */
  get unanswered(): { readonly names: readonly string[]; readonly needs: readonly string[] } {
    const requests = this.#reducer.dropped.flatMap((verdict) =>
      verdict.kind === 'describe' && !this.#startsAfresh ? [verdict] : [],
    );
    return {
      names: [...new Set(requests.flatMap(({ names }) => names))],
      needs: requests.flatMap(({ need }) => need ?? []),
    };
  }

  /** Whether the client has received any part of this response. */
  get hasShown(): boolean {
    return this.isLaterRound || this.#reducer.hasShown;
  }

  /**
   * Whether a tool call was withheld or rewritten. The gateway must render an altered response, because the client
   * must not receive the original bytes.
   */
  get isAltered(): boolean {
    return this.isLaterRound || this.#reducer.isAltered;
  }

  /** Whether the client receives every tool call exactly as the model made it. */
  get isUnchanged(): boolean {
    return !this.isLaterRound && this.#reducer.isUnchanged;
  }

  /** All events of the current recovery round so far. */
  get events(): readonly StreamEvent[] {
    return this.#reducer.kept.events;
  }

  /** Returns whether the given events include the start of a withheld tool call. */
  withholdsAny(events: readonly StreamEvent[]): boolean {
    return events.some((event) => event.type === 'tool-call-start' && isWithheld(this.#recovery, event.name));
  }

  /**
   * Usage of every provider call, in order. Token usage that the provider does not report is estimated. If the only
   * provider call reported no usage, the list is empty, because the log estimates the usage of the whole response.
   */
  get usages(): readonly TokenUsage[] {
    if (this.#isBetween) return this.#billed;
    const { usage, kept } = this.#reducer;
    if (usage !== undefined) return [...this.#billed, usage];
    return this.#billed.length === 0 ? [] : [...this.#billed, this.#given.estimateUsage(kept.characters)];
  }

  /** Whether any entry in `usages` is an estimate. */
  get isUsageEstimated(): boolean {
    const isEstimatedNow = this.#reducer.usage === undefined && this.#billed.length > 0;
    return this.#isUsageEstimated || (isEstimatedNow && !this.#isBetween);
  }

  /** Pruned tools that the model called or requested by name. */
  get recovered(): readonly string[] {
    return [...new Set([...this.#requests.recovered, ...this.#reducer.recovered])];
  }

  /** Whether the request that led to the current response contained every tool. */
  get hasEveryTool(): boolean {
    return this.#isLast;
  }

  /** Number of tool definitions that reached the model in later recovery rounds. */
  get definitionsAdded(): number {
    return this.reached.size - this.#given.recovery.described.length;
  }

  /** Names of the pruned tools that at least one request defined for the model. */
  get reached(): ReadonlySet<string> {
    return this.#isLast ? new Set(this.#given.recovery.pruned.keys()) : this.#requests.shown;
  }

  /** Summarizes the response that the client received, with the usage of all recovery rounds. */
  get summary(): ResponseSummary {
    return { ...this.#summary, usage: sumUsage(this.usages) };
  }

  push(events: readonly StreamEvent[]): readonly StreamEvent[] {
    return this.#show(events.flatMap((event) => this.#reducer.push(event)));
  }

  rest(): readonly StreamEvent[] {
    return this.#show(this.#reducer.rest());
  }

  /**
   * Ends a complete recovery round and sends the next request if another round follows.
   * @throws GatewayError `upstream_invalid` if the model called only a tool that the request did not offer
   */
  async next(): Promise<Continuation> {
    const calls = this.#reducer.recoveryCalls();
    if (calls === undefined || this.#isLast) return this.#end(calls !== undefined);
    const isLast = this.#round >= recoveryRoundsMax;
    if (isLast && this.#mayStartAfresh) return this.#startAfresh(calls);
    await this.#requests.answer(this.#recovery, this.events, calls, isLast, this.#given.signal);
    const next = isLast ? this.#requests.withAll() : this.#requests.next(this.#recovery);
    return this.#send(next, this.#retire(calls));
  }

  /**
   * Determines how to continue after a later recovery round has failed. Returns undefined if the client must receive
   * the error. The client receives the error if this is the first round, if part of the round was sent, or if no
   * further request is possible.
   */
  async afterFailure(): Promise<Continuation | undefined> {
    if (!this.isLaterRound || this.#given.signal.aborted) return undefined;
    if (this.#mayStartAfresh) return this.#startAfresh();
    if (this.#isLast || this.#reducer.isSpoken) return undefined;
    return this.#send(this.#requests.withAll(), this.#retire([]));
  }

  /** @param waits whether the model waits for the results of its recovery tool calls */
  #end(waits: boolean): Continuation {
    const { isUnserved, isCutShort } = this.#reducer;
    if (!isUnserved || !(waits || isCutShort)) return { kind: 'complete' };
    if (this.#mayStartAfresh) return this.#startAfresh();
    if (!waits) return { kind: 'complete' };
    throw new GatewayError('upstream_invalid', {
      message: 'The model called only a tool that the request does not offer. Send the request again.',
    });
  }

  /** A fresh start is possible at most once, and only before the client has received any bytes. */
  get #mayStartAfresh(): boolean {
    return this.#given.earlier?.freshStart === undefined && !this.#given.hasSent();
  }

  #startAfresh(calls: readonly RecoveryCall[] = []): Continuation {
    this.#requests.noteRequested(calls);
    this.#retire([]);
    this.#round += 1;
    this.#startsAfresh = true;
    return { kind: 'fresh-start' };
  }

  /** Ends the current recovery round. The usage of a recovery round is always billed. */
  #retire(calls: readonly RecoveryCall[]): PriorRounds {
    const corrected = calls.flatMap(({ verdict }) => (verdict.kind === 'correct' ? [verdict.name] : []));
    if (!this.#isBetween) {
      const { usage, kept } = this.#reducer;
      this.#isUsageEstimated ||= usage === undefined;
      this.#billed = [...this.#billed, usage ?? this.#given.estimateUsage(kept.characters)];
    }
    this.#isBetween = true;
    return { ...this.#reducer.after(corrected), usages: this.#billed };
  }

  async #send(next: NextRound, before: PriorRounds): Promise<Continuation> {
    this.#round += 1;
    this.#isLast = next.recovery === null;
    const answer = await this.#call(next);
    if (answer === undefined)
      return this.#mayStartAfresh ? this.#startAfresh() : this.#send(this.#requests.withAll(), before);
    this.#recovery = next.recovery ?? allForwarded(this.#recovery);
    this.#reducer = new RoundReducer(this.#recovery, before, this.#isLast && !this.#mayStartAfresh);
    // The usage of a failed provider call is not billed.
    this.#isBetween = answer.status >= 400;
    return { kind: 'round', answer };
  }

  /** Returns undefined if the provider call failed and another request may succeed. */
  async #call(next: NextRound): Promise<UpstreamAnswer | undefined> {
    const isFinal = next.recovery === null && !this.#mayStartAfresh;
    try {
      const answer = await this.#given.send(next);
      const isRefused = failureOfStatus(answer.status, answer.headers)?.kind === 'refused';
      if (isFinal || answer.status < 400 || isRefused) return answer;
      passOver(answer.body);
    } catch (error) {
      if (isFinal || this.#given.signal.aborted || !isCallFailure(error)) throw error;
    }
    return undefined;
  }

  #show(events: readonly StreamEvent[]): readonly StreamEvent[] {
    for (const event of events) {
      this.#summary = summarize(this.#summary, event);
      // If the model calls a pruned tool in the last round, the tool counts as recovered.
      if (this.#isLast && event.type === 'tool-call-start') this.#requests.noteRecovered(event.name);
    }
    return events;
  }
}

/** An error that does not come from a provider call would also occur in another attempt. */
function isCallFailure(error: unknown): boolean {
  const isUnavailable = error instanceof GatewayError && error.code === 'upstream_unavailable';
  return isUnavailable || failureOfError(error) !== undefined;
}
