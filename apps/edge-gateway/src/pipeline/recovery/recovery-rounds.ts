import {
  createSummary,
  foldAnswer,
  summarize,
  type ChatMessage,
  type ResponseSummary,
  type StreamEvent,
  type TokenUsage,
} from '@gateway/interchange';
import { passOver } from '../../upstream/answer-body.ts';
import type { UpstreamAnswer } from '../../request/upstream-answer.ts';
import { answerRecoveryCall, type RecoveryAnswer } from './answer-recovery-call.ts';
import { isWithheld } from './judge-calls.ts';
import { noPriorRounds, RoundReducer, type RecoveryCall, type PriorRounds } from './round-reducer.ts';
import type { Recovery } from './recovery.ts';
import { sumUsage } from './sum-usage.ts';

/** The input for the request of a recovery round. */
export interface NextRound {
  /** Null if every tool is sent, so there is no recovery tool. */
  readonly recovery: Recovery | null;
  /** Names of the tools to send in addition to the planned tools. */
  readonly added: readonly string[];
  /**
   * The messages after the client's last one: the model's turns so far and the gateway's responses to them.
   */
  readonly messages: readonly ChatMessage[];
}

/** Max recovery rounds. After that, every tool is forwarded. */
const recoveryRoundsMax = 2;

/** Statuses with which a provider rejects a request permanently, so a retry does not help. */
const refusals: ReadonlySet<number> = new Set([400, 404, 413, 422]);

const everythingIsListed = 'Every tool is in the list now. Call by name.';

export interface RecoveryRoundsInput {
  readonly recovery: Recovery;
  readonly signal: AbortSignal;
  /** Usage of earlier rounds, if their response broke and the request was forwarded again. */
  readonly billed?: readonly TokenUsage[];
  /** Sends the request for a round. Fails as `forward` does. */
  send(next: NextRound): Promise<UpstreamAnswer>;
}

/** Runs the recovery rounds for one response. Every event from every round passes through this class. */
export class RecoveryRounds {
  readonly #given: RecoveryRoundsInput;
  readonly #messages: ChatMessage[];
  readonly #added = new Set<string>();
  readonly #shown: Set<string>;
  readonly #recovered = new Set<string>();
  #recovery: Recovery;
  #reducer: RoundReducer;
  #round = 0;
  #isLast = false;
  #billed: readonly TokenUsage[];
  #summary: ResponseSummary = createSummary();

  constructor(given: RecoveryRoundsInput) {
    this.#given = given;
    this.#recovery = given.recovery;
    this.#shown = new Set(given.recovery.described);
    this.#messages = [...given.recovery.openingMessages];
    this.#billed = given.billed ?? [];
    this.#reducer = new RoundReducer(given.recovery, { ...noPriorRounds, usages: this.#billed });
  }

  /** Number of recovery rounds so far. */
  get count(): number {
    return this.#round;
  }

  /** The name of the gateway's own tool. */
  get recoveryToolName(): string {
    return this.#recovery.recoveryTool.name;
  }

  /** Whether the client wants usage data in a streamed response. */
  get streamsUsage(): boolean {
    return this.#given.recovery.streamsUsage;
  }

  /**
   * Recovery requests that the gateway did not answer, because the response goes to the client: tool names,
   * and needs in words.
   */
  get unanswered(): { readonly names: readonly string[]; readonly needs: readonly string[] } {
    const requests = this.#reducer.dropped.flatMap((verdict) =>
      verdict.kind === 'describe' ? [verdict] : [],
    );
    return {
      names: [...new Set(requests.flatMap(({ names }) => names))],
      needs: requests.flatMap(({ need }) => need ?? []),
    };
  }

  /** Whether the client has seen any part of this response. */
  get hasShown(): boolean {
    return this.#round > 0 || this.#reducer.hasShown;
  }

  /**
   * Whether a call was withheld or rewritten. The response must then be rendered; its original bytes cannot
   * be passed.
   */
  get isAltered(): boolean {
    return this.#round > 0 || this.#reducer.isAltered;
  }

  /** Whether the client receives every call exactly as the model made it. */
  get isUnchanged(): boolean {
    return this.#round === 0 && this.#reducer.isUnchanged;
  }

  /** All events in this round so far. */
  get events(): readonly StreamEvent[] {
    return this.#reducer.events;
  }

  /** Whether these events include the start of a withheld call. */
  withholdsAny(events: readonly StreamEvent[]): boolean {
    return events.some((event) => event.type === 'tool-call-start' && isWithheld(this.#recovery, event.name));
  }

  get usages(): PriorRounds['usages'] {
    return this.#reducer.usages;
  }

  /** Usage of the completed rounds, without the current one. */
  get billed(): readonly TokenUsage[] {
    return this.#billed;
  }

  /** Pruned tools that the model called or requested by name. */
  get recovered(): readonly string[] {
    return [...new Set([...this.#recovered, ...this.#reducer.recovered])];
  }

  /** Number of definitions that reached the model in recovery rounds, without those in the first request. */
  get definitionsAdded(): number {
    return this.reached.size - this.#given.recovery.described.length;
  }

  /** Names of the pruned tools whose definitions reached the model, in the first request or in a later round. */
  get reached(): ReadonlySet<string> {
    return this.#isLast ? new Set(this.#given.recovery.pruned.keys()) : this.#shown;
  }

  /** Summarizes the response that the client saw, with the usage of all rounds. */
  get summary(): ResponseSummary {
    return { ...this.#summary, usage: sumUsage(this.usages) };
  }

  push(events: readonly StreamEvent[]): readonly StreamEvent[] {
    return this.#show(events.flatMap((event) => this.#reducer.push(event)));
  }

  /**
   * Ends a complete round. Returns the next round's response, or undefined if no round follows. In that case
   * `rest` has the remaining events.
   */
  async next(): Promise<UpstreamAnswer | undefined> {
    const hidden = this.#isLast ? undefined : this.#reducer.recoveryCalls();
    if (hidden === undefined) return undefined;
    const isLast = this.#round >= recoveryRoundsMax;
    const answers = await this.#answer(hidden, isLast);
    this.#messages.push(...renderTurn(this.#reducer, answers));
    const corrected = hidden.flatMap(({ verdict }) => (verdict.kind === 'correct' ? [verdict.name] : []));
    const before = this.#reducer.after(corrected);
    this.#billed = before.usages;
    this.#round += 1;
    this.#isLast = isLast;
    const next = this.#chooseNext(isLast);
    const answer = await this.#askOpenly(next, before);
    this.#recovery = this.#isLast || next.recovery === null ? allForwarded(this.#recovery) : next.recovery;
    this.#reducer = new RoundReducer(this.#recovery, before);
    return answer;
  }

  /**
   * If a provider rejects the gateway's messages and the client has seen nothing yet, the client's own
   * request is sent with every tool.
   */
  async #askOpenly(next: NextRound, { blocks }: PriorRounds): Promise<UpstreamAnswer> {
    const answer = await this.#given.send(next);
    if (!refusals.has(answer.status) || blocks > 0) return answer;
    passOver(answer.body);
    this.#isLast = true;
    return this.#given.send({ recovery: null, added: [], messages: [] });
  }

  rest(): readonly StreamEvent[] {
    return this.#show(this.#reducer.rest());
  }

  #show(events: readonly StreamEvent[]): readonly StreamEvent[] {
    for (const event of events) this.#summary = summarize(this.#summary, event);
    return events;
  }

  async #answer(hidden: readonly RecoveryCall[], isLast: boolean): Promise<readonly RecoveryAnswer[]> {
    const intoList = isLast || this.#recovery.mode === 'regrown';
    const answers = await Promise.all(
      hidden.map((call) => answerRecoveryCall(this.#recovery, call, intoList, this.#given.signal)),
    );
    for (const { shown, requested } of answers) {
      for (const name of shown) this.#shown.add(name);
      for (const name of shown) if (intoList) this.#added.add(name);
      for (const name of requested) this.#recovered.add(name);
    }
    if (!isLast) return answers;
    return answers.map((answer, index) =>
      hidden[index]?.verdict.kind === 'original' ? answer : { ...answer, text: everythingIsListed },
    );
  }

  #chooseNext(isLast: boolean): NextRound {
    const added = [...this.#added];
    const recovery = isLast
      ? null
      : added.length > 0
        ? this.#given.recovery.afterForwarding(added)
        : this.#recovery;
    return { recovery, added, messages: [...this.#messages] };
  }
}

/** Renders the model's turn from a round, and the gateway's responses to its calls. */
function renderTurn(reducer: RoundReducer, answers: readonly RecoveryAnswer[]): ChatMessage[] {
  const [choice] = foldAnswer(reducer.events).choices;
  const results = answers.map(({ callId, text }): ChatMessage => ({
    role: 'tool',
    parts: [{ type: 'tool-result', callId, parts: [{ type: 'text', text }] }],
  }));
  return [{ role: 'assistant', parts: choice?.parts ?? [] }, ...results];
}

/**
 * The recovery for a response to a request with all tools. A call to the recovery tool then counts as a call
 * to the named tool.
 */
function allForwarded(recovery: Recovery): Recovery {
  return {
    ...recovery,
    statusOf: (name) => (recovery.pruned.has(name) ? 'forwarded' : recovery.statusOf(name)),
    pruned: new Map(),
  };
}
