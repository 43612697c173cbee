import type { ChatPart } from './chat-part.ts';
import type { Extensions } from './extensions.ts';
import type { FinishReason } from './finish-reason.ts';
import type { ProviderFormat } from './request-outline.ts';
import type { TokenUsage } from './token-usage.ts';

/** A whole answer, in no format: what the events of a stream add up to. */
export interface ChatAnswer {
  readonly id: string | undefined;
  readonly model: string | undefined;
  /** Unix time in seconds. */
  readonly createdAt: number | undefined;
  /** The format that the provider answered in. */
  readonly format: ProviderFormat | undefined;
  /** By `index`, ascending. */
  readonly choices: readonly AnswerChoice[];
  readonly usage: TokenUsage | undefined;
  readonly extensions: Extensions;
}

export interface AnswerChoice {
  readonly index: number;
  /** In the order in which they started. */
  readonly parts: readonly ChatPart[];
  readonly finishReason: FinishReason | undefined;
  /** The provider's own word for it. */
  readonly rawReason: string | undefined;
  /** Members of the choice. */
  readonly extensions: Extensions;
  /** Members of its message. */
  readonly messageExtensions: Extensions;
}
