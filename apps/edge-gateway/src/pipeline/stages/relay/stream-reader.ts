import { createSummary, summarize, type ResponseSummary, type StreamEvent } from '@gateway/interchange';
import type { GatewayError } from '@gateway/errors';
import type { StreamParser, WireFormat } from '@gateway/wire-formats';

/** Reads a stream that goes by. What it keeps, for the log, is bounded: a summary, and one unfinished frame at most. */
export class StreamReader {
  readonly #parser: StreamParser;
  #summary: ResponseSummary = createSummary();

  constructor(format: WireFormat) {
    this.#parser = format.provider.openStreamParser();
  }

  get summary(): ResponseSummary {
    return this.#summary;
  }

  /** Why the latest chunk could not be read to its end, although it told something. */
  get failure(): GatewayError | undefined {
    return this.#parser.failure;
  }

  /** Throws `upstream_invalid` for what no client of the format could read. */
  push(chunk: Uint8Array): readonly StreamEvent[] {
    return this.note(this.#parser.push(chunk));
  }

  /** The provider has ended the stream. */
  end(): readonly StreamEvent[] {
    return this.note(this.#parser.end());
  }

  /** Events that were read elsewhere, of an answer that came whole. */
  note(events: readonly StreamEvent[]): readonly StreamEvent[] {
    for (const event of events) this.#summary = summarize(this.#summary, event);
    return events;
  }
}
