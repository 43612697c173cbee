import type { FinishReason } from '@gateway/interchange';

/** Maps Anthropic's stop reasons to the interchange's finish reasons. */
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
    case 'pause_turn':
      return 'pause';
    case 'refusal':
      return 'refusal';
    default:
      return 'other';
  }
}

/** Maps a finish reason to a stop reason that Anthropic defines. */
export function mapToRawReason(reason: FinishReason): string {
  switch (reason) {
    case 'length':
      return 'max_tokens';
    case 'tool-calls':
      return 'tool_use';
    case 'content-filter':
    case 'refusal':
      return 'refusal';
    case 'pause':
      return 'pause_turn';
    case 'stop':
    case 'error':
    case 'other':
      return 'end_turn';
  }
}
