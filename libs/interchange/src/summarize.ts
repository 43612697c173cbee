import type { ResponseSummary } from './response-summary.ts';
import type { StreamEvent } from './stream-event.ts';

/** Calls whose names are kept; the rest are counted. */
const toolCallsKept = 256;
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
      return { ...summary, argumentCharacters: summary.argumentCharacters + event.argumentsText.length };
    case 'tool-call-start':
      return addToolCall(summary, { id: event.id, name: event.name });
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

function addToolCall(summary: ResponseSummary, call: { id: string; name: string }): ResponseSummary {
  const toolCallCount = summary.toolCallCount + 1;
  if (summary.toolCalls.length >= toolCallsKept) return { ...summary, toolCallCount };
  return { ...summary, toolCallCount, toolCalls: [...summary.toolCalls, call] };
}
