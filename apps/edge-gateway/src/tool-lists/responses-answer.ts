import { GatewayError } from '@gateway/errors';
import {
  encodeSse,
  parseExactJson,
  parseProviderJson,
  responsesEventBytesMax,
  SseDecoder,
  type SseFrame,
} from '@gateway/wire-formats';
import { explainDenied } from './denied-calls.ts';
import { findDeniedItem, isContent, isFields, text, type Fields } from './responses-items.ts';
import type { ToolPermission } from './tool-permission.ts';

/** Maximum number of denied tool names in the log row of a request. */
const namesMax = 64;
const nameCharactersMax = 256;

/**
 * Removes calls to denied tools from one response of the Responses API. The remaining output items keep their
 * order, and their indexes are renumbered without gaps. If no output item is left, the response gets a
 * message that states the reason.
 */
export class ResponsesAnswer {
  readonly #permission: ToolPermission;
  readonly #names = new Set<string>();
  readonly #decoder = new SseDecoder({ frameBytesMax: responsesEventBytesMax });
  /** Indexes of the output items that are hidden from the client. */
  readonly #hidden = new Set<number>();
  /** For each output index of a visible item, the number of hidden items before the item. */
  readonly #shifts = new Map<number, number>();
  #hasContent = false;

  constructor(permission: ToolPermission) {
    this.#permission = permission;
  }

  /** Names of the denied tools that the model called, at most 64. */
  get names(): readonly string[] {
    return [...this.#names];
  }

  /**
   * Removes calls to denied tools from a response that is not streamed.
   * @throws GatewayError `upstream_invalid` if the response is not JSON
   */
  renderPlain(bytes: Buffer): Buffer {
    const answer = parseAnswer(bytes.toString('utf8'));
    const restricted = this.#restrictResponse(answer);
    return restricted === answer ? bytes : Buffer.from(JSON.stringify(restricted));
  }

  /**
   * Returns the stream events that the client receives. The function encodes every event again, including
   * unchanged events.
   */
  push(chunk: Buffer): Buffer[] {
    return this.#decoder.push(chunk).flatMap((frame) => this.#pushFrame(frame));
  }

  end(): Buffer[] {
    return this.#decoder.flush().flatMap((frame) => this.#pushFrame(frame));
  }

  #pushFrame(frame: SseFrame): Buffer[] {
    const data = frame.data.trim();
    if (data === '' || data === '[DONE]') return [encode(frame)];
    const event = parseAnswer(data);
    if (!isFields(event)) return [];
    const response = event['response'];
    if (isFields(response) && Array.isArray(response['output']))
      return this.#endResponse(frame, event, response);
    const index = event['output_index'];
    return typeof index === 'number' ? this.#pushItem(frame, event, index) : [encode(frame)];
  }

  #pushItem(frame: SseFrame, event: Fields, index: number): Buffer[] {
    if ('item' in event && !this.#hidden.has(index)) this.#judge(event['item'], index);
    if (this.#hidden.has(index)) return [];
    const shift = this.#shifts.get(index);
    // A fragment of a tool call cannot be checked if the start event of the call is missing.
    if (shift === undefined && /call|mcp/.test(text(event['type']))) return [];
    return [
      shift === undefined || shift === 0
        ? encode(frame)
        : encode(frame, { ...event, output_index: index - shift }),
    ];
  }

  #judge(item: unknown, index: number): void {
    if (!this.#shifts.has(index)) this.#shifts.set(index, this.#hidden.size);
    const denied = findDeniedItem(item, this.#permission);
    if (denied === undefined) {
      this.#hasContent ||= isContent(item);
      return;
    }
    this.#hidden.add(index);
    this.#deny(denied);
  }

  #endResponse(frame: SseFrame, event: Fields, response: Fields): Buffer[] {
    const restricted = this.#restrictResponse(response);
    if (restricted === response) return [encode(frame)];
    const last = encode(frame, { ...event, response: restricted });
    const isEnd = /\.(completed|incomplete)$/.test(text(event['type']));
    if (!isEnd || this.#hasContent) return [last];
    const output = restricted['output'] as readonly unknown[];
    return [...renderItem(output.at(-1) as Fields, output.length - 1), last];
  }

  /**
   * Removes calls to denied tools from a response object. Returns the original response object if nothing was removed.
   */
  #restrictResponse(response: unknown): Fields {
    if (!isFields(response)) throw unreadable();
    const output = response['output'];
    if (!Array.isArray(output)) return response;
    const kept = output.filter((item) => {
      const denied = findDeniedItem(item, this.#permission);
      if (denied !== undefined) this.#deny(denied);
      return denied === undefined;
    });
    if (kept.length === output.length) return response;
    const isLeftEmpty = !kept.some(isContent);
    const note = isLeftEmpty ? [renderNote(text(response['id']), this.names)] : [];
    return { ...response, output: [...(kept as unknown[]), ...note] };
  }

  #deny(name: string): void {
    if (this.#names.size < namesMax) this.#names.add(name.slice(0, nameCharactersMax));
  }
}

function parseAnswer(json: string): unknown {
  return parseProviderJson(json, parseExactJson);
}

function unreadable(): GatewayError {
  return new GatewayError('upstream_invalid', { detail: 'the response is not a JSON object' });
}

function encode({ event, data }: SseFrame, changed?: Fields): Buffer {
  const json = changed === undefined ? data : JSON.stringify(changed);
  return Buffer.from(encodeSse(event === undefined ? { data: json } : { event, data: json }));
}

/** Renders a message item that replaces the removed tool calls. */
function renderNote(responseId: string, names: readonly string[]): Fields {
  return {
    id: `msg_${responseId.replace(/^resp_/, '')}_denied`,
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: explainDenied(names), annotations: [] }],
  };
}

/** Renders the stream events of a whole message. */
function renderItem(item: Fields, index: number): Buffer[] {
  const [part] = item['content'] as readonly Fields[];
  const place = { output_index: index };
  const inPart = { ...place, item_id: item['id'], content_index: 0 };
  const events: Fields[] = [
    { type: 'response.output_item.added', ...place, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...inPart, part: { ...part, text: '' } },
    { type: 'response.output_text.delta', ...inPart, delta: part?.['text'] },
    { type: 'response.output_text.done', ...inPart, text: part?.['text'] },
    { type: 'response.content_part.done', ...inPart, part },
    { type: 'response.output_item.done', ...place, item },
  ];
  return events.map((event) =>
    Buffer.from(encodeSse({ event: text(event['type']), data: JSON.stringify(event) })),
  );
}
