import type { FinishReason, ProviderFormat, StreamEvent, TokenUsage } from '@gateway/interchange';
import { providerFormatNamed } from '@gateway/wire-formats';
import { isWithheld, judgeCall, type MadeCall, type Verdict } from './judge-calls.ts';
import { isContent, KeptEvents } from './kept-events.ts';
import type { PriorRounds } from './prior-rounds.ts';
import { showsReasoning, withoutReasoning } from './reasoning.ts';
import type { Recovery } from './recovery.ts';
import { showUsage } from './sum-usage.ts';

/** A buffered tool call that the client may receive later. */
interface WithheldCall extends MadeCall {
  readonly start: Extract<StreamEvent, { type: 'tool-call-start' }>;
  readonly pieces: string[];
  verdict?: Verdict;
}

/** A tool call to which the gateway responds in place of the client. */
export interface RecoveryCall {
  readonly id: string;
  readonly verdict: Exclude<Verdict, { kind: 'deliver' }>;
}

/** Finish reasons after which the model continues once it receives the results of its tool calls. */
const continuingReasons: ReadonlySet<FinishReason> = new Set<FinishReason>(['tool-calls', 'stop', 'other']);

/**
 * Processes one recovery round of a response, event by event. The reducer passes on the events for the client, and
 * numbers their blocks across all rounds. The reducer withholds recovery tool calls and the final events until it is
 * known whether another round follows. Each recovery round has its own reducer. In most formats, the client receives
 * only the reasoning of the first round that contains reasoning. The client would join the reasoning of two rounds,
 * but a provider accepts only unmodified reasoning. In formats with blocks, reasoning of a later round is never sent
 * after content, because reasoning must precede content.
 */
export class RoundReducer {
  readonly #recovery: Recovery;
  readonly #before: PriorRounds;
  readonly #passesReasoning: boolean;
  /** Whether the gateway can retry after a failed round and hide the error from the client. */
  readonly #isReplaceable: boolean;
  /** Indexes of the reasoning blocks that the client does not receive. */
  readonly #hidden = new Set<number>();
  readonly #withheld = new Map<number, WithheldCall>();
  /** Maps the provider's block numbers to the client's block numbers. */
  readonly #shown = new Map<number, number>();
  readonly #lead: StreamEvent[] = [];
  readonly #tail: StreamEvent[] = [];
  readonly #kept = new KeptEvents();
  readonly #recovered = new Set<string>();
  #blocks: number;
  #hasText: boolean;
  #hasReasoning: boolean;
  #hasContent = false;
  #isSpoken = false;
  #isAltered = false;
  /** Number of withheld tool calls without a decision. The number is stored, because counting is slow. */
  #undecided = 0;
  #calls = 0;
  #usage: TokenUsage | undefined;
  #reason: FinishReason | undefined;
  #format: ProviderFormat = 'chat-completions';

  /** @param isLast whether this round is the last one and cannot be repeated */
  constructor(recovery: Recovery, before: PriorRounds, isLast = false) {
    this.#recovery = recovery;
    this.#before = before;
    this.#blocks = before.blocks;
    this.#hasText = before.hasText;
    this.#hasReasoning = before.hasReasoning;
    this.#isReplaceable = before.round > 0 && !isLast;
    const isFirstInMessage = recovery.joinsTexts || before.blocks === 0;
    this.#passesReasoning = before.round === 0 || (!before.hasReasoning && isFirstInMessage);
  }

  /** Whether a withheld tool call was dropped or rewritten. */
  get isAltered(): boolean {
    return this.#isAltered;
  }

  /** Whether the client received every withheld tool call unchanged. */
  get isUnchanged(): boolean {
    return !this.#isAltered && this.#undecided === 0;
  }

  /** Pruned tools that were called through the recovery tool in this round. */
  get recovered(): ReadonlySet<string> {
    return this.#recovered;
  }

  /** All events of the recovery round. */
  get kept(): KeptEvents {
    return this.#kept;
  }

  /** Decisions about the withheld tool calls in the response of the last recovery round. */
  get dropped(): readonly Verdict[] {
    return [...this.#withheld.values()].flatMap(({ verdict }) => verdict ?? []);
  }

  /** Returns the events that the client may receive now. */
  push(event: StreamEvent): readonly StreamEvent[] {
    this.#kept.push(event);
    if (event.type === 'error') return this.#isReplaceable && !this.#isSpoken ? [] : this.#emit([event]);
    if ('block' in event) return this.#emit(event.choice > 0 ? [event] : this.#pushBlock(event));
    if (event.type === 'message-start') this.#format = event.format;
    if (event.type === 'usage') this.#usage = event.usage;
    if (event.type === 'finish') this.#reason = event.reason;
    const shown = event.type === 'extension' && !this.#passesReasoning ? withoutReasoning(event) : event;
    if (shown === undefined) return [];
    if (this.#reason !== undefined || event.type === 'message-end') this.#tail.push(shown);
    else if (this.#blocks === 0) this.#lead.push(shown);
    else if (this.#isFirst || this.#isJoined || (event.type === 'extension' && event.scope !== 'answer'))
      return this.#note([shown]);
    return [];
  }

  /** Whether the client has received any content of this recovery round. */
  get isSpoken(): boolean {
    return this.#isSpoken;
  }

  /**
   * Whether the model only called the recovery tool. Without another round, the response would be empty. A response
   * with only reasoning counts as empty, because providers reject a message that ends in reasoning.
   */
  get isUnserved(): boolean {
    if (this.#hasContent || this.#hasCalls) return false;
    const calls = [...this.#withheld.values()];
    const isOwn = calls.some(({ name }) => name === this.#recovery.recoveryTool.name);
    return isOwn && !calls.some(({ verdict }) => verdict?.kind === 'correct');
  }

  /** Whether the model's response was truncated at its length limit. */
  get isCutShort(): boolean {
    return this.#reason === 'length';
  }

  /** Whether the client may have received part of this recovery round. True for a round that has ended. */
  get hasShown(): boolean {
    return this.#isSpoken || this.#blocks > 0 || this.#reason !== undefined;
  }

  /** Sends the leading events together with the first content block, so that an empty round sends no events. */
  #emit(events: readonly StreamEvent[]): readonly StreamEvent[] {
    if (events.length === 0) return events;
    this.#isSpoken = true;
    return this.#note([...this.#lead.splice(0), ...events]);
  }

  #note(events: readonly StreamEvent[]): readonly StreamEvent[] {
    for (const event of events) {
      this.#hasReasoning ||= showsReasoning(event);
      this.#hasContent ||= isContent(event);
    }
    return events;
  }

  /**
   * Returns the tool calls to which the gateway responds if another round follows. Another round follows only
   * if the current round has no calls for the client, and the model waits for tool results. Returns undefined
   * if the response is complete. The field `rest` contains the remaining events of a complete response.
   */
  recoveryCalls(): readonly RecoveryCall[] | undefined {
    for (const call of this.#withheld.values()) this.#judge(call);
    const hidden = [...this.#withheld.values()].flatMap(({ id, verdict }) =>
      verdict === undefined || verdict.kind === 'deliver' ? [] : [{ id, verdict }],
    );
    const mayGoOn = this.#reason === undefined || continuingReasons.has(this.#reason);
    return hidden.length > 0 && !this.#hasCalls && mayGoOn ? hidden : undefined;
  }

  get #hasCalls(): boolean {
    return this.#calls > 0 || [...this.#withheld.values()].some(isDelivered);
  }

  /**
   * Returns the final events if no recovery round follows. Recovery tool calls are dropped. Tool calls with
   * invalid arguments are delivered unchanged.
   */
  rest(): readonly StreamEvent[] {
    const late = [...this.#withheld.values()].flatMap((call) => this.#deliver(call, true));
    return this.#emit([...late, ...this.#tail.flatMap((event) => this.#renderTail(event))]);
  }

  /** Returns the recovery state that the next recovery round continues from. */
  after(corrected: Iterable<string>): PriorRounds {
    return {
      round: this.#before.round + 1,
      blocks: this.#blocks,
      hasText: this.#hasText,
      hasReasoning: this.#hasReasoning,
      corrected: new Set([...this.#before.corrected, ...corrected]),
      usages: this.#usages,
    };
  }

  /** The latest usage that the provider reported. Undefined if the provider reported no usage. */
  get usage(): TokenUsage | undefined {
    return this.#usage;
  }

  /** Usage of all recovery rounds up to and including the current round. */
  get #usages(): readonly TokenUsage[] {
    const { usages } = this.#before;
    return this.#usage === undefined ? usages : [...usages, this.#usage];
  }

  get #isFirst(): boolean {
    return this.#before.round === 0;
  }

  get #isJoined(): boolean {
    return this.#format === this.#recovery.joinedFormat;
  }

  #pushBlock(event: Extract<StreamEvent, { block: number }>): readonly StreamEvent[] {
    const passes = this.#passesReasoning || this.#isJoined;
    if (event.type === 'thinking-start' && !passes) this.#hidden.add(event.block);
    if (this.#hidden.has(event.block)) return [];
    const held = this.#withheld.get(event.block);
    if (event.type === 'tool-call-start') {
      if (isWithheld(this.#recovery, event.name)) {
        this.#hold(event, held);
        return [];
      }
      this.#calls += 1;
    }
    if (held === undefined) return this.#show({ ...event, block: this.#place(event.block) });
    if (event.type === 'tool-call-delta') held.pieces.push(event.argumentsText);
    if (event.type !== 'tool-call-end') return [];
    this.#judge(held);
    return this.#deliver(held, false);
  }

  /** If the client's format joins all text, the text of a later recovery round begins after a blank line. */
  #show(event: Extract<StreamEvent, { block: number }>): readonly StreamEvent[] {
    if (event.type !== 'text-start') return [event];
    const isApart = this.#isFirst || !this.#hasText || !this.#recovery.joinsTexts;
    this.#hasText = true;
    if (isApart) return [event];
    return [event, { type: 'text-delta', choice: 0, block: event.block, text: '\n\n' }];
  }

  #hold(start: WithheldCall['start'], replaced: WithheldCall | undefined): void {
    const { id, name, block } = start;
    if (replaced === undefined || replaced.verdict !== undefined) this.#undecided += 1;
    if (name === this.#recovery.recoveryTool.name) this.#isAltered = true;
    this.#withheld.set(block, { id, name, start, pieces: [], argumentsText: '' });
  }

  #judge(call: WithheldCall): void {
    if (call.verdict !== undefined) return;
    this.#undecided -= 1;
    const made = { id: call.id, name: call.name, argumentsText: call.pieces.join('') };
    call.verdict = judgeCall(this.#recovery, made, this.#before.corrected);
    if (call.verdict.kind !== 'deliver') this.#isAltered = true;
  }

  /** Returns the events of a tool call in the client's format. Each tool call is returned only once. */
  #deliver(call: WithheldCall, isLast: boolean): StreamEvent[] {
    this.#judge(call);
    const { verdict, start } = call;
    const goes = verdict?.kind === 'deliver' || (isLast && verdict?.kind === 'correct');
    if (!goes || this.#shown.has(start.block)) return [];
    const block = this.#place(start.block);
    const { name, argumentsText } = verdict;
    this.#calls += 1;
    const isThroughRecoveryTool = start.name === this.#recovery.recoveryTool.name;
    if (isThroughRecoveryTool && (verdict.kind === 'correct' || verdict.recovered)) this.#recovered.add(name);
    return [
      { ...start, block, ...this.#recovery.calledName(name) },
      { type: 'tool-call-delta', choice: 0, block, argumentsText },
      { type: 'tool-call-end', choice: 0, block },
    ];
  }

  #place(block: number): number {
    const known = this.#shown.get(block);
    if (known !== undefined) return known;
    const placed = this.#blocks;
    this.#blocks += 1;
    this.#shown.set(block, placed);
    return placed;
  }

  #renderTail(event: StreamEvent): StreamEvent[] {
    if (event.type === 'finish' && event.reason === 'tool-calls' && this.#calls === 0)
      return [
        { ...event, reason: 'stop', rawReason: providerFormatNamed(this.#format).provider.finishedReason },
      ];
    if (this.#isFirst) return [event];
    if (event.type === 'usage') return [];
    const usage = event.type === 'message-end' ? showUsage(this.#usages) : undefined;
    return usage === undefined ? [event] : [{ type: 'usage', usage }, event];
  }
}

function isDelivered({ verdict }: WithheldCall): boolean {
  return verdict?.kind === 'deliver';
}
