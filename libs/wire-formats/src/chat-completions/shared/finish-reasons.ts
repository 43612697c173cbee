import type { FinishReason } from '@gateway/interchange';

/**
 * Maps finish reasons from OpenAI and compatible providers. OpenAI sends `stop` for a tool call that the
 * request forced by name, and some providers send `stop` for every tool call.
 * @param calls whether the response contains a tool call
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

/**
 * Maps the interchange's finish reasons to OpenAI's finish reasons. OpenAI has no finish reason for a paused
 * turn.
 */
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
