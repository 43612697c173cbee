/** What a session is known by. Nobody who does not have the conversation and the tools can make these names. */
export interface SessionNames {
  /** Everything up to now: what the next turn's `before` will be. */
  readonly here: string;
  /** Everything before the model's last turn; null in a session's first request. */
  readonly before: string | null;
  /** Everything before the model's first turn, or the client's own name of the session: the same in every request. */
  readonly session: string;
}
