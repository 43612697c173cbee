import type { FinishReason } from './finish-reason.ts';
import type { TokenUsage } from './token-usage.ts';

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
