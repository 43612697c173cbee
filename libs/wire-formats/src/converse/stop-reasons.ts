import type { FinishReason } from '@gateway/interchange';

/** The words of the Converse API's `stopReason`, and those that models behind it say themselves. */
export function mapStopReason(raw: string): FinishReason {
  switch (raw) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'tool_use':
      return 'tool-calls';
    case 'content_filtered':
    case 'guardrail_intervened':
      return 'content-filter';
    case 'refusal':
      return 'refusal';
    case 'pause_turn':
      return 'pause';
    case 'malformed_model_output':
    case 'malformed_tool_use':
      return 'error';
    default:
      return 'other';
  }
}

/** In words that the SDK's types know. */
export function mapToStopReason(reason: FinishReason): string {
  switch (reason) {
    case 'length':
      return 'max_tokens';
    case 'tool-calls':
      return 'tool_use';
    case 'content-filter':
    case 'refusal':
      return 'content_filtered';
    case 'error':
      return 'malformed_model_output';
    case 'stop':
    case 'pause':
    case 'other':
      return 'end_turn';
  }
}
