import type { TokenUsage } from '@gateway/interchange';
import { ByteList } from '../bytes/byte-list.ts';

/**
 * Maximum number of bytes that are searched for token usage, in a response or in one line of a stream. The reader
 * ignores token usage in lines above this length.
 */
const textBytesMax = 1024 * 1024;
/**
 * Minimum number of bytes kept from the end of a response that is too long to keep completely. The token
 * usage comes after the vectors or images, so it is near the end.
 */
const tailBytesMax = 8 * 1024;

/**
 * Observes a response and extracts its token usage. The reader uses bounded memory and does not delay the
 * response.
 */
export class UsageReader {
  readonly #isStream: boolean;
  readonly #findsEnd: boolean;
  readonly #kept = new ByteList();
  #size = 0;
  #usage: TokenUsage | undefined;
  #hasEnded = false;
  /** Whether the current line starts with the event type that ends a stream. The line is too long to be buffered. */
  #isLongEnd = false;
  /** Whether a line was too long to be checked for the type of the last event. */
  #hasUnread = false;

  /**
   * @param contentType content type of the response. The reader finds token usage only in JSON and event
   * streams.
   * @param findsEnd true to search a stream for the last event of the Responses API. If the search is off,
   * `hasEnded` and `mayHaveEnded` have no meaning.
   */
  constructor(contentType: string, findsEnd = false) {
    this.#findsEnd = findsEnd;
    this.#isStream = contentType.includes('event-stream');
    if (!this.#isStream && !contentType.includes('json')) this.#size = Infinity;
  }

  /** Whether a stream of the Responses API contained its last event, up to the line break after the event. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Whether a line of a stream may contain the last event of the Responses API. A line that is too long to be
   * read may be the last event.
   */
  get mayHaveEnded(): boolean {
    if (this.#hasEnded || this.#hasUnread || this.#size > textBytesMax) return true;
    // The provider may omit the line break after the last event.
    return lastEvent.test(this.#kept.concat().toString());
  }

  push(chunk: Buffer): void {
    if (this.#isStream) this.#pushLines(chunk);
    else this.#keep(chunk);
  }

  /** Returns the token usage that the provider reported, or undefined if the provider reported no usage. */
  end(): TokenUsage | undefined {
    if (this.#isStream) return this.#usage;
    const text = this.#kept.concat().toString();
    this.#readJson(this.#size <= textBytesMax ? text : cutOutUsage(text));
    return this.#usage;
  }

  #keep(chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size <= textBytesMax) this.#kept.push(chunk);
    else if (this.#isStream) this.#dropLine(chunk);
    else if (this.#size === Infinity) this.#kept.clear();
    else this.#keepTail(chunk);
  }

  /**
   * Discards a long line once the type of its event has been read. Providers send `type` as the first field
   * of an event.
   */
  #dropLine(chunk: Buffer): void {
    if (!this.#findsEnd) return this.#kept.clear();
    if (this.#size - chunk.length > textBytesMax) return;
    this.#kept.push(chunk);
    this.#isLongEnd = lastEvent.test(this.#kept.concat().toString('utf8', 0, textBytesMax));
    this.#kept.clear();
  }

  /**
   * Keeps only the end of the response. The buffer is cut to its target length only when it has reached twice this
   * length, so that processing many short chunks takes linear time.
   */
  #keepTail(chunk: Buffer): void {
    this.#kept.push(chunk);
    if (this.#kept.size < 2 * tailBytesMax) return;
    // Only the end of the chunk is copied, so that the rest of the chunk's memory can be freed.
    const tail = Buffer.from(this.#kept.concat().subarray(-tailBytesMax));
    this.#kept.clear();
    this.#kept.push(tail);
  }

  #pushLines(chunk: Buffer): void {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, from)) {
      // Short lines are skipped, because most of them are empty and copying a line has a fixed cost.
      const isShort = this.#size === 0 && at - from < usageLineBytesMin;
      if (!isShort) {
        this.#keep(chunk.subarray(from, at));
        this.#readLine();
      }
      from = at + 1;
    }
    this.#keep(Buffer.from(chunk.subarray(from)));
  }

  #readLine(): void {
    const isShort = this.#size <= textBytesMax;
    const line = isShort ? this.#kept.concat().toString() : '';
    this.#kept.clear();
    this.#size = 0;
    this.#hasUnread ||= !isShort;
    if (this.#findsEnd) this.#hasEnded ||= isShort ? lastEvent.test(line) : this.#isLongEnd;
    if (line.startsWith('data:') && line.includes('"usage"')) this.#readJson(line.slice(5));
  }

  #readJson(text: string): void {
    if (!text.includes('"usage"') && !text.includes('"billed_units"')) return;
    try {
      this.#usage = usageOf(JSON.parse(text)) ?? this.#usage;
    } catch {
      // The log contains no token usage for a response that cannot be parsed.
    }
  }
}

/**
 * The type of the last event in a Responses API stream. The pattern cannot match inside a JSON string,
 * because quotes are escaped there.
 */
const lastEvent = /"type"\s*:\s*"(?:response\.(?:completed|incomplete|failed|cancelled)|error)"/;

/** Minimum length in bytes of a line that contains token usage. */
const usageLineBytesMin = 'data:{"usage":'.length;

/**
 * Extracts the last `usage` field from the buffered text. The returned text is a JSON object with only the
 * field `usage`.
 */
function cutOutUsage(tail: string): string {
  const at = tail.lastIndexOf('"usage"');
  const from = at === -1 ? -1 : tail.indexOf('{', at);
  if (from === -1) return '';
  let depth = 0;
  for (let to = from; to < tail.length; to += 1) {
    if (tail[to] === '{') depth += 1;
    else if (tail[to] === '}') depth -= 1;
    if (depth === 0) return `{"usage":${tail.slice(from, to + 1)}}`;
  }
  return '';
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null ? (value as Fields) : undefined;

/**
 * Reads token usage in the forms of OpenAI (`prompt_tokens`, or `input_tokens` in the Responses API) and
 * Cohere (`meta.billed_units`).
 */
function usageOf(answer: unknown): TokenUsage | undefined {
  const fields = fieldsOf(answer);
  const inner = fieldsOf(fields?.['response']) ?? fields;
  const usage = fieldsOf(inner?.['usage']) ?? fieldsOf(fieldsOf(inner?.['meta'])?.['billed_units']);
  if (usage === undefined) return undefined;
  const count = (...names: string[]): number | undefined =>
    names.map((name) => usage[name]).find((value): value is number => Number.isSafeInteger(value));
  const inputTokens = count('prompt_tokens', 'input_tokens', 'total_tokens');
  if (inputTokens === undefined || inputTokens < 0) return undefined;
  const details = fieldsOf(usage['prompt_tokens_details']) ?? fieldsOf(usage['input_tokens_details']);
  const cached = details?.['cached_tokens'];
  return {
    inputTokens,
    outputTokens: Math.max(0, count('completion_tokens', 'output_tokens') ?? 0),
    ...(Number.isSafeInteger(cached) ? { cachedInputTokens: cached as number } : {}),
  };
}
