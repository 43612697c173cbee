import type { FinishReason, StreamEvent, TokenUsage, ToolCallDelta } from './stream-event.ts';

/** A call that the model made. */
export interface SummarizedCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote them; null once an answer's arguments are longer together than is kept. */
  readonly argumentsText: string | null;
  readonly choice: number;
  readonly block: number;
}

/** What the record of a request keeps of its answer. Of bounded size, whatever the answer's. */
export interface ResponseSummary {
  readonly responseId: string | undefined;
  readonly model: string | undefined;
  /** By choice. */
  readonly finishReasons: ReadonlyMap<number, FinishReason>;
  readonly usage: TokenUsage | undefined;
  /** The first calls, up to a bound. */
  readonly toolCalls: readonly SummarizedCall[];
  /** All calls, those beyond the bound too. */
  readonly toolCallCount: number;
  /** UTF-16 units of text, thinking and refusals shown; tool arguments apart. For estimating tokens. */
  readonly textCharacters: number;
  readonly argumentCharacters: number;
  /** Whether the format's own success terminator came. Without it the answer is truncated. */
  readonly sawEnd: boolean;
  /** The failure that the provider told inside the answer. */
  readonly error: { readonly message: string; readonly code: string | undefined } | undefined;
}

/** Calls whose names are kept; the rest are counted. */
const toolCallsKept = 256;
/** Characters of arguments that are kept of an answer, all calls together. */
const argumentCharactersKept = 64 * 1024;
/** Choices whose finish reasons are kept: twice the most that a format lets a client ask for (128). */
const choicesKept = 256;

export function createSummary(): ResponseSummary {
  return {
    responseId: undefined,
    model: undefined,
    finishReasons: new Map(),
    usage: undefined,
    toolCalls: [],
    toolCallCount: 0,
    textCharacters: 0,
    argumentCharacters: 0,
    sawEnd: false,
    error: undefined,
  };
}

/** The summary with one more event in it. Bounded work an event, bounded memory whatever the answer. */
export function summarize(summary: ResponseSummary, event: StreamEvent): ResponseSummary {
  switch (event.type) {
    case 'message-start':
      return { ...summary, responseId: event.id, model: event.model };
    case 'text-delta':
    case 'thinking-delta':
    case 'refusal-delta':
      return { ...summary, textCharacters: summary.textCharacters + event.text.length };
    case 'tool-call-delta':
      return addArguments(summary, event);
    case 'tool-call-start': {
      const { id, name, choice, block } = event;
      return addToolCall(summary, { id, name, argumentsText: '', choice, block });
    }
    case 'usage':
      return { ...summary, usage: event.usage };
    case 'finish':
      if (summary.finishReasons.size >= choicesKept) return summary;
      return { ...summary, finishReasons: new Map(summary.finishReasons).set(event.choice, event.reason) };
    case 'error':
      return { ...summary, error: { message: event.message, code: event.code } };
    case 'message-end':
      return { ...summary, sawEnd: true };
    default:
      return summary;
  }
}

function addArguments(
  summary: ResponseSummary,
  { choice, block, argumentsText }: ToolCallDelta,
): ResponseSummary {
  const argumentCharacters = summary.argumentCharacters + argumentsText.length;
  const at = summary.toolCalls.findLastIndex((call) => call.choice === choice && call.block === block);
  const call = summary.toolCalls[at];
  if (call === undefined || call.argumentsText === null) return { ...summary, argumentCharacters };
  const isKept = argumentCharacters <= argumentCharactersKept;
  const kept = { ...call, argumentsText: isKept ? call.argumentsText + argumentsText : null };
  return { ...summary, argumentCharacters, toolCalls: summary.toolCalls.with(at, kept) };
}

function addToolCall(summary: ResponseSummary, call: SummarizedCall): ResponseSummary {
  const toolCallCount = summary.toolCallCount + 1;
  if (summary.toolCalls.length >= toolCallsKept) return { ...summary, toolCallCount };
  return { ...summary, toolCallCount, toolCalls: [...summary.toolCalls, call] };
}
