import type { Citation, FinishReason, JsonObject, StreamEvent, ThinkingPart } from '@gateway/interchange';
import { unqualifyTool } from '@gateway/interchange';
import type { AnswerDefaults, StreamRenderOptions } from '../../common/format.ts';
import { addWaitingCharacters } from '../../common/waiting-characters.ts';
import { optional } from '../../json/read-members.ts';
import { encodeSse } from '../../sse/sse-frames.ts';
import { readReasoningPlace, summarySeparator, type ReasoningPlace } from '../shared/reasoning.ts';
import { own } from '../shared/settings.ts';
import {
  completePart,
  isShown,
  nameItem,
  renderAnnotation,
  renderCallSignature,
  renderContent,
  renderItem,
  renderStatus,
  renderUsage,
  type ShownPart,
} from './render-items.ts';
import { readSequence, renderHead, renderId } from './render-response.ts';

type ThinkingDelta = Extract<StreamEvent, { type: 'thinking-delta' }>;
type BlockEvent = Extract<StreamEvent, { block: number }>;

/** An output item that has started but not ended. The deltas of the item are joined when the item ends. */
interface OpenItem {
  readonly index: number;
  readonly id: string;
  readonly part: ShownPart;
  /** The item id in the client's stream, which is either the provider's id or a generated id. */
  readonly itemId: unknown;
  readonly texts: string[];
  /** The position and the deltas of the latest text in a reasoning item. */
  place: ReasoningPlace;
  placeTexts: string[];
  characters: number;
  readonly citations: Citation[];
}

/** Renders one response as events of the Responses API. Each block becomes an output item. */
export class ResponseStream {
  #head: AnswerDefaults;
  readonly #open = new Map<number, OpenItem>();
  readonly #output: JsonObject[] = [];
  #sequence = 0;
  #characters = 0;
  #started = false;
  #hasFailed = false;
  #items = 0;
  #reason: FinishReason | undefined;
  #usage: JsonObject | null = null;
  #members: JsonObject = {};

  constructor({ lastFrame, ...defaults }: AnswerDefaults & Pick<StreamRenderOptions, 'lastFrame'>) {
    this.#head = { ...defaults, id: renderId(defaults.id, false) };
    if (lastFrame !== undefined) this.#sequence = readSequence(lastFrame) + 1;
  }

  /** @throws GatewayError `upstream_invalid` if the response is too long to be repeated in the last event. */
  render(event: StreamEvent): string {
    // An error ends the stream, even if the provider sends further events.
    if (this.#hasFailed) return '';
    this.#characters = addWaitingCharacters(this.#characters, event);
    if ('choice' in event && event.choice > 0) return '';
    if ('block' in event) return this.#start() + this.#renderBlock(event);
    switch (event.type) {
      case 'message-start': {
        const { id, model, createdAt, format } = event;
        const given = {
          ...optional('id', id === undefined ? undefined : renderId(id, format === 'responses')),
          ...optional('model', model),
          ...optional('createdAt', createdAt),
        };
        this.#head = { ...this.#head, ...given };
        return this.#start();
      }
      case 'usage':
        this.#usage = own.read(event).input_tokens === undefined ? renderUsage(event.usage) : own.read(event);
        return '';
      case 'extension':
        if (event.scope === 'answer') this.#members = { ...this.#members, ...own.read(event) };
        return '';
      case 'finish':
        this.#reason = event.reason;
        return '';
      case 'error': {
        const { message, code = event.errorType ?? null } = event;
        this.#hasFailed = true;
        return this.#start() + this.#frame('error', { code, message, param: null });
      }
      case 'message-end':
        return this.#start() + this.#end();
    }
  }

  #frame(type: string, members: JsonObject): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequence, ...members });
    this.#sequence += 1;
    return encodeSse({ event: type, data });
  }

  #start(): string {
    if (this.#started) return '';
    this.#started = true;
    const response = { ...renderHead(this.#head), status: 'in_progress' };
    return this.#frame('response.created', { response }) + this.#frame('response.in_progress', { response });
  }

  #end(): string {
    const status = renderStatus(this.#reason);
    const head = { ...renderHead(this.#head), ...this.#members, ...status };
    const response = { ...head, output: this.#output, usage: this.#usage };
    return this.#frame(`response.${String(status.status)}`, { response });
  }

  #renderBlock(event: BlockEvent): string {
    switch (event.type) {
      case 'text-start':
      case 'refusal-start':
      case 'thinking-start': {
        const type =
          event.type === 'text-start' ? 'text' : event.type === 'refusal-start' ? 'refusal' : 'thinking';
        return this.#openItem(event.block, { type, text: '', ...optional('extensions', event.extensions) });
      }
      case 'tool-call-start': {
        const { id, name, namespace, kind, extensions, signature } = event;
        const part = { type: 'tool-call', id, name, kind, argumentsText: '' } as const;
        const rest = { ...optional('namespace', namespace), ...optional('extensions', extensions) };
        return this.#addSignature(signature) + this.#openItem(event.block, { ...part, ...rest });
      }
      case 'part':
        if (!isShown(event.part)) return '';
        return this.#openItem(event.block, event.part) + this.#closeItem(event.block);
      default:
        return this.#continue(event);
    }
  }

  #continue(event: BlockEvent): string {
    const open = this.#open.get(event.block);
    if (open === undefined) return '';
    switch (event.type) {
      case 'text-delta':
      case 'refusal-delta':
        return this.#delta(
          open,
          event.type === 'text-delta' ? 'output_text' : 'refusal',
          event.text,
          contentPlace,
        );
      case 'thinking-delta':
        return this.#thinkingDelta(open, event);
      case 'tool-call-delta': {
        const isCustom = open.part.type === 'tool-call' && open.part.kind === 'custom';
        const name = isCustom ? 'custom_tool_call_input' : 'function_call_arguments';
        return this.#delta(open, name, event.argumentsText, {});
      }
      case 'citation':
        return this.#cite(open, event.citation);
      case 'thinking-end': {
        const { signature, redacted, extensions } = event;
        const signed = { ...optional('signature', signature), ...optional('redacted', redacted) };
        return this.#closeItem(event.block, { ...signed, ...optional('extensions', extensions) });
      }
      default:
        return this.#closeItem(event.block);
    }
  }

  #openItem(block: number, part: ShownPart): string {
    const index = this.#items;
    this.#items += 1;
    const id = nameItem(part, this.#head.id, index);
    const item = renderItem(part, id, 'in_progress');
    const opened = { index, id, itemId: item.id, part, texts: [], characters: 0, citations: [] };
    const reasoning = { place: firstSummary, placeTexts: [] };
    this.#open.set(block, { ...opened, ...reasoning });
    const added = this.#frame('response.output_item.added', { output_index: index, item });
    if (part.type !== 'text' && part.type !== 'refusal') return added;
    const place = { item_id: item.id, output_index: index, ...contentPlace };
    return added + this.#frame('response.content_part.added', { ...place, part: renderContent(part) });
  }

  /** Adds a complete reasoning item with the signature of the tool call that follows. */
  #addSignature(signature: string | undefined): string {
    const id = nameItem({ type: 'thinking' }, this.#head.id, this.#items);
    const item = renderCallSignature(signature, id);
    if (item === undefined) return '';
    const place = { output_index: this.#items, item };
    this.#output[this.#items] = item;
    this.#items += 1;
    return this.#frame('response.output_item.added', place) + this.#frame('response.output_item.done', place);
  }

  #delta(open: OpenItem, name: string, delta: string, place: JsonObject): string {
    open.texts.push(delta);
    open.characters += delta.length;
    return this.#frame(`response.${name}.delta`, { ...this.#placeOf(open), ...place, delta });
  }

  /** Adds a delta to a reasoning item. Each text in the item has its own start and end events. */
  #thinkingDelta(open: OpenItem, event: Pick<ThinkingDelta, 'text' | 'extensions'>): string {
    const next = readReasoningPlace(event);
    const isFirst = open.texts.length === 0;
    open.texts.push(event.text);
    open.characters += event.text.length;
    const isNext = isFirst || next !== undefined;
    const closed = isNext && !isFirst ? this.#closeReasoning(open) : '';
    const delta = isNext && !isFirst ? event.text.slice(summarySeparator.length) : event.text;
    if (isNext) Object.assign(open, { place: next ?? firstSummary, placeTexts: [] });
    open.placeTexts.push(delta);
    const { added, text, type } = reasoningEvents[open.place.member];
    const at = this.#reasoningPlaceOf(open);
    const opened = isNext ? this.#frame(`response.${added}.added`, { ...at, part: { type, text: '' } }) : '';
    return closed + opened + this.#frame(`response.${text}.delta`, { ...at, delta });
  }

  /** Ends the latest text of a reasoning item. */
  #closeReasoning(open: OpenItem): string {
    if (open.placeTexts.length === 0) return '';
    const { added, text, type } = reasoningEvents[open.place.member];
    const [at, whole] = [this.#reasoningPlaceOf(open), open.placeTexts.join('')];
    const done = this.#frame(`response.${text}.done`, { ...at, text: whole });
    return done + this.#frame(`response.${added}.done`, { ...at, part: { type, text: whole } });
  }

  #reasoningPlaceOf(open: OpenItem): JsonObject {
    return { ...this.#placeOf(open), [open.place.member]: open.place.index };
  }

  #cite(open: OpenItem, citation: Citation): string {
    const annotation = renderAnnotation(citation, open.characters);
    if (annotation === undefined) return '';
    const place = { ...this.#placeOf(open), ...contentPlace, annotation_index: open.citations.length };
    open.citations.push(citation);
    return this.#frame('response.output_text.annotation.added', { ...place, annotation });
  }

  #placeOf({ itemId, index }: OpenItem): JsonObject {
    return { item_id: itemId, output_index: index };
  }

  #closeItem(block: number, signed: Partial<ThinkingPart> = {}): string {
    const open = this.#open.get(block);
    if (open === undefined) return '';
    this.#open.delete(block);
    const part = completePart(open, signed);
    const item = renderItem(part, open.id, 'completed');
    this.#output[open.index] = item;
    const content = this.#closeContent(open, part);
    return content + this.#frame('response.output_item.done', { output_index: open.index, item });
  }

  #closeContent(open: OpenItem, part: ShownPart): string {
    const place = this.#placeOf(open);
    switch (part.type) {
      case 'text':
      case 'refusal': {
        const name = part.type === 'text' ? 'output_text' : 'refusal';
        const text = part.type === 'text' ? { text: part.text, logprobs: [] } : { refusal: part.text };
        const where = { ...place, ...contentPlace };
        const content = renderContent(part);
        return (
          this.#frame(`response.${name}.done`, { ...where, ...text }) +
          this.#frame('response.content_part.done', { ...where, part: content })
        );
      }
      case 'thinking':
        return this.#closeReasoning(open);
      case 'tool-call': {
        const { argumentsText } = part;
        return part.kind === 'custom'
          ? this.#frame('response.custom_tool_call_input.done', { ...place, input: argumentsText })
          : this.#frame('response.function_call_arguments.done', {
              ...place,
              name: unqualifyTool(part),
              arguments: argumentsText,
            });
      }
      case 'opaque':
        return '';
    }
  }
}

const contentPlace = { content_index: 0 } as const;
const firstSummary: ReasoningPlace = { member: 'summary_index', index: 0 };
/** Event names for a text in a reasoning item, and the type of the text. */
const reasoningEvents = {
  summary_index: {
    ...{ added: 'reasoning_summary_part', text: 'reasoning_summary_text', type: 'summary_text' },
  },
  content_index: { added: 'content_part', text: 'reasoning_text', type: 'reasoning_text' },
} as const;
