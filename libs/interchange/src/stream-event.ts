import type { FinishReason } from './finish-reason.ts';
import type { TokenUsage } from './token-usage.ts';

/**
 * What a provider's answer is made of, streamed or plain, whatever the format. Blocks are numbered in the order in
 * which they start, within a choice (`choice` is 0 unless the client asked for `n` answers).
 */
export type StreamEvent =
  | {
      readonly type: 'message-start';
      readonly id?: string;
      readonly model?: string;
      readonly createdAt?: number;
    }
  | { readonly type: 'text-start'; readonly choice: number; readonly block: number }
  | { readonly type: 'text-delta'; readonly choice: number; readonly block: number; readonly text: string }
  | { readonly type: 'text-end'; readonly choice: number; readonly block: number }
  | { readonly type: 'thinking-start'; readonly choice: number; readonly block: number }
  | {
      readonly type: 'thinking-delta';
      readonly choice: number;
      readonly block: number;
      readonly text: string;
    }
  | { readonly type: 'thinking-end'; readonly choice: number; readonly block: number }
  | { readonly type: 'refusal-start'; readonly choice: number; readonly block: number }
  | { readonly type: 'refusal-delta'; readonly choice: number; readonly block: number; readonly text: string }
  | { readonly type: 'refusal-end'; readonly choice: number; readonly block: number }
  | {
      readonly type: 'tool-call-start';
      readonly choice: number;
      readonly block: number;
      readonly id: string;
      readonly name: string;
    }
  | {
      readonly type: 'tool-call-delta';
      readonly choice: number;
      readonly block: number;
      readonly argumentsText: string;
    }
  | { readonly type: 'tool-call-end'; readonly choice: number; readonly block: number }
  | { readonly type: 'usage'; readonly usage: TokenUsage }
  | {
      readonly type: 'finish';
      readonly choice: number;
      readonly reason: FinishReason;
      readonly rawReason: string;
    }
  /** The provider said, inside the stream, that it failed. */
  | { readonly type: 'error'; readonly message: string; readonly code?: string; readonly errorType?: string }
  /** The format's own success terminator (`data: [DONE]`, `message_stop`, …). Without it a stream is truncated. */
  | { readonly type: 'message-end' };
