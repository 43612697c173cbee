/** What compression of a conversation is worth in one request, in USD. Null where the model's prices are not known. */
export interface ContextPrice {
  /** Estimated. */
  readonly tokensSaved: number;
  readonly savedUsd: number | null;
  /** What is written to the provider's prompt cache once more because earlier messages go out in other words than before. */
  readonly rewrittenUsd: number | null;
}
