import type { FinishReason } from '@gateway/interchange';

/**
 * The words of OpenAI and of those who took its format up, each with its meaning. OpenAI says `stop` of a call that the
 * request forced by name, and some of its followers of any call: `calls` tells that there is one.
 */
export function mapFinishReason(raw: string, calls: boolean): FinishReason {
  switch (raw) {
    case 'stop':
    case 'eos':
    case 'end_turn':
      return calls ? 'tool-calls' : 'stop';
    case 'length':
    case 'max_tokens':
    case 'model_length':
      return 'length';
    case 'tool_calls':
    case 'function_call':
      return 'tool-calls';
    case 'content_filter':
      return 'content-filter';
    case 'error':
      return 'error';
    default:
      return 'other';
  }
}

/** The format has no word of its own for a pause, and clients know no others than these. */
export function mapToRawReason(reason: FinishReason): string {
  switch (reason) {
    case 'length':
      return 'length';
    case 'tool-calls':
      return 'tool_calls';
    case 'content-filter':
    case 'refusal':
      return 'content_filter';
    case 'stop':
    case 'pause':
    case 'error':
    case 'other':
      return 'stop';
  }
}
