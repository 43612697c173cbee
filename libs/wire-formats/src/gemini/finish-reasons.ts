import type { FinishReason } from '@gateway/interchange';

/**
 * Gemini says STOP whether the model answered or called: `callsTools` tells them apart. Of the numbers of the enumeration
 * only those are read that both of Google's APIs give the same meaning.
 */
export function mapFinishReason(raw: string, callsTools: boolean): FinishReason {
  switch (raw) {
    case 'STOP':
    case '1':
      return callsTools ? 'tool-calls' : 'stop';
    case 'MAX_TOKENS':
    case '2':
      return 'length';
    case 'SAFETY':
    case 'RECITATION':
    case 'BLOCKLIST':
    case 'PROHIBITED_CONTENT':
    case 'SPII':
    case 'MODEL_ARMOR':
    case 'IMAGE_SAFETY':
    case 'IMAGE_PROHIBITED_CONTENT':
    case 'IMAGE_RECITATION':
    case '3':
    case '4':
      return 'content-filter';
    case 'MALFORMED_FUNCTION_CALL':
    case 'MALFORMED_RESPONSE':
    case 'UNEXPECTED_TOOL_CALL':
    case 'TOO_MANY_TOOL_CALLS':
    case 'MISSING_THOUGHT_SIGNATURE':
    case 'NO_IMAGE':
      return 'error';
    default:
      return 'other';
  }
}
