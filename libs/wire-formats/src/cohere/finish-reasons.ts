import type { FinishReason } from '@gateway/interchange';

export function mapFinishReason(raw: string): FinishReason {
  switch (raw) {
    case 'COMPLETE':
    case 'STOP_SEQUENCE':
      return 'stop';
    case 'MAX_TOKENS':
      return 'length';
    case 'TOOL_CALL':
      return 'tool-calls';
    case 'ERROR_TOXIC':
      return 'content-filter';
    case 'ERROR':
    case 'TIMEOUT':
      return 'error';
    default:
      return 'other';
  }
}
