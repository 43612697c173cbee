import { foldAnswer, type ChatMessage, type StreamEvent } from '@gateway/interchange';
import { answerRecoveryCall, type RecoveryAnswer } from './answer-recovery-call.ts';
import { joinReasoning } from './reasoning.ts';
import type { RecoveryCall } from './round-reducer.ts';
import type { Recovery } from './recovery.ts';

/** The input from which the request of a recovery round is built. */
export interface NextRound {
  /**
   * The recovery that applies to the request. Null if the request includes every tool and therefore has no recovery
   * tool.
   */
  readonly recovery: Recovery | null;
  /** Names of the tools that are sent in addition to the planned tools. */
  readonly added: readonly string[];
  /**
   * Messages that recovery has added after the client's last message. These messages are turns of the model and
   * responses of the gateway.
   */
  readonly messages: readonly ChatMessage[];
}

const everythingIsListed = 'Every tool is in the list now. Call by name.';

/** Collects the messages, added tools, and recovered tools for the requests of recovery rounds. */
export class RoundRequests {
  readonly #recovery: Recovery;
  readonly #messages: ChatMessage[];
  readonly #added = new Set<string>();
  readonly #shown: Set<string>;
  readonly #recovered: Set<string>;

  /**
   * @param recovery the recovery that was created with the plan.
   * @param recovered tools that were recovered before the client's request was sent again
   */
  constructor(recovery: Recovery, recovered: readonly string[] = []) {
    this.#recovery = recovery;
    this.#messages = [...recovery.openingMessages];
    this.#shown = new Set(recovery.described);
    this.#recovered = new Set(recovered);
  }

  /** Pruned tools that the model requested by name, or called when the request contained every tool. */
  get recovered(): ReadonlySet<string> {
    return this.#recovered;
  }

  /**
   * Names of the pruned tools that the gateway's messages defined, in the first request or in a later round.
   */
  get shown(): ReadonlySet<string> {
    return this.#shown;
  }

  /**
   * Responds to the recovery tool calls of a round. The gateway's responses are part of the next request.
   * @param current the recovery in this round.
   * @param events all events of the round.
   * @param isLast whether the next request contains every tool
   */
  async answer(
    current: Recovery,
    events: readonly StreamEvent[],
    calls: readonly RecoveryCall[],
    isLast: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    const intoList = isLast || current.mode === 'regrown';
    const answers = await Promise.all(
      calls.map((call) => answerRecoveryCall(current, call, intoList, signal)),
    );
    for (const { shown, requested } of answers) {
      for (const name of shown) this.#shown.add(name);
      for (const name of shown) if (intoList) this.#added.add(name);
      for (const name of requested) this.#recovered.add(name);
    }
    const given = answers.map((answer, index) =>
      isLast && calls[index]?.verdict.kind !== 'original' ? { ...answer, text: everythingIsListed } : answer,
    );
    this.#messages.push(...renderTurn(events, given));
  }

  /** Records the pruned tools that the given calls request by name, but does not respond to the calls. */
  noteRequested(calls: readonly RecoveryCall[]): void {
    for (const { verdict } of calls) for (const name of namesIn(verdict)) this.noteRecovered(name);
  }

  noteRecovered(name: string): void {
    if (this.#recovery.pruned.has(name)) this.#recovered.add(name);
  }

  /** Returns the provider request for another recovery round. */
  next(current: Recovery): NextRound {
    const added = [...this.#added];
    const recovery = added.length > 0 ? this.#recovery.afterForwarding(added) : current;
    return { recovery, added, messages: [...this.#messages] };
  }

  /** Returns the last request, which includes every tool and no recovery tool. */
  withAll(): NextRound {
    return { recovery: null, added: [...this.#added], messages: [...this.#messages] };
  }
}

/**
 * Renders the model's turn of a recovery round, and the gateway's responses to the calls in this turn. Each
 * turn stays a separate message with unmodified reasoning, because a provider accepts only unmodified
 * reasoning.
 */
function renderTurn(events: readonly StreamEvent[], answers: readonly RecoveryAnswer[]): ChatMessage[] {
  const [choice] = foldAnswer(events).choices;
  const extensions = joinReasoning(events);
  const results = answers.map(({ callId, text }): ChatMessage => ({
    role: 'tool',
    parts: [{ type: 'tool-result', callId, parts: [{ type: 'text', text }] }],
  }));
  const turn = { role: 'assistant', parts: choice?.parts ?? [] } as const;
  return [extensions === undefined ? turn : { ...turn, extensions }, ...results];
}

function namesIn(verdict: RecoveryCall['verdict']): readonly string[] {
  if (verdict.kind === 'describe') return verdict.names;
  return verdict.kind === 'correct' ? [verdict.name] : [];
}

/**
 * Returns the recovery for the response to a request that included all tools. If the response calls the recovery
 * tool, the call is handled like a call to the named tool.
 */
export function allForwarded(recovery: Recovery): Recovery {
  return {
    ...recovery,
    statusOf: (name) => (recovery.pruned.has(name) ? 'forwarded' : recovery.statusOf(name)),
    pruned: new Map(),
  };
}
