/** One server-sent event. */
export interface SseFrame {
  /** Undefined for an event without a name. */
  readonly event?: string;
  /** The data lines, joined with newlines. */
  readonly data: string;
  /** The id that this event set. */
  readonly id?: string;
}
