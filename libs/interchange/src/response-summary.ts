import type {
  CacheMissReport,
  ExtensionEvent,
  FinishReason,
  StreamEvent,
  TokenUsage,
  ToolCallDelta,
} from './stream-event.ts';

/** A tool call made by the model. */
export interface SummarizedCall {
  readonly id: string;
  readonly name: string;
  /**
   * The tool call's arguments as the model wrote them. Null if the arguments of all tool
   * calls together exceed the limit.
   */
  readonly argumentsText: string | null;
  readonly choice: number;
  readonly block: number;
}

/** The part of a response that is stored in the log. A response summary has a bounded size. */
export interface ResponseSummary {
  readonly responseId: string | undefined;
  readonly model: string | undefined;
  /** Finish reasons, by index of the choice. */
  readonly finishReasons: ReadonlyMap<number, FinishReason>;
  readonly usage: TokenUsage | undefined;
  /** The first tool calls, up to a limit. */
  readonly toolCalls: readonly SummarizedCall[];
  /** Number of all tool calls, including tool calls beyond the limit. */
  readonly toolCallCount: number;
  /**
   * Number of UTF-16 code units in text, visible reasoning and refusals, excluding tool arguments. The
   * gateway estimates tokens from the character count.
   */
  readonly textCharacters: number;
  readonly argumentCharacters: number;
  /**
   * Whether the stream contained the format's end marker for a successful response. If the end marker is
   * missing, the response is truncated.
   */
  readonly sawEnd: boolean;
  /**
   * The cause of a prompt cache miss, as the provider reports it. Undefined if the provider
   * reported no cause.
   */
  readonly cacheMiss: CacheMissReport | undefined;
  /**
   * Counts the changes that the provider reported for the reasoning in the request. A key contains the type and
   * the reason of a change. At most 16 different kinds of changes are stored.
   */
  readonly inputTransformations: ReadonlyMap<string, number>;
  /** The error that the provider reported within the response. */
  readonly error: { readonly message: string; readonly code: string | undefined } | undefined;
}

/** Maximum number of stored tool calls. Tool calls beyond the maximum are counted but not stored. */
const toolCallsKept = 256;
/** Maximum number of stored argument characters, summed over all tool calls in a response. */
const argumentCharactersKept = 64 * 1024;
/** Maximum number of stored finish reasons. No format allows more than 128 choices. */
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
    cacheMiss: undefined,
    inputTransformations: new Map(),
    error: undefined,
  };
}

/** Adds one event to the response summary. The summary's memory and the time per event are bounded. */
export function summarize(summary: ResponseSummary, event: StreamEvent): ResponseSummary {
  switch (event.type) {
    case 'message-start':
      return { ...summary, responseId: event.id, model: event.model, cacheMiss: event.cacheMiss };
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
    case 'extension':
      return event.scope === 'answer' ? addTransformations(summary, event) : summary;
    case 'message-end':
      return { ...summary, sawEnd: true };
    default:
      return summary;
  }
}

/**
 * The first value is the maximum number of kinds of changes that a provider makes to reasoning. The second
 * value is the maximum length of a kind's name. Provider documentation lists only a few kinds.
 */
const [transformationKindsMax, transformationNameMax] = [16, 40];

/**
 * Counts the entries of the messages format's field `input_transformations`. Each entry has a type, and most
 * entries have a reason.
 */
function addTransformations(summary: ResponseSummary, { extensions }: ExtensionEvent): ResponseSummary {
  const listed = extensions.messages?.['input_transformations'];
  if (!Array.isArray(listed)) return summary;
  const counts = new Map(summary.inputTransformations);
  for (const entry of listed as readonly unknown[]) {
    const { type, reason } = (entry ?? {}) as { readonly type?: unknown; readonly reason?: unknown };
    const kind = [type, reason]
      .map((name) => (typeof name === 'string' ? name.slice(0, transformationNameMax) : ''))
      .join(':');
    if (counts.has(kind) || counts.size < transformationKindsMax)
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return { ...summary, inputTransformations: counts };
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
