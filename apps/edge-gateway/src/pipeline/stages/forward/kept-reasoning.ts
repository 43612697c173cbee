import { createHash, hash, type Hash } from 'node:crypto';
import type { ChatMessage, ChatPart, ChatRequest, StreamEvent, TextPart } from '@gateway/interchange';
import type { Logger } from '@gateway/observability';
import { accountKey } from '../../../cache/account-keys.ts';
import { nameOf, openValue, sealValue, type SealedCache } from '../../../cache/sealed-value.ts';

/** Lifetime of stored reasoning in seconds. The prompt caches of providers also expire within one day. */
const keptSeconds = 24 * 3600;
/** Maximum number of characters of the stored reasoning of one response. Reasoning above this length is not stored. */
const charactersMax = 256 * 1024;
/**
 * Maximum number of model turns for which reasoning is loaded. In longer conversations, the reasoning of the
 * earliest turns is left out. Several turns are dropped at a time, so that the prompt's prefix rarely changes.
 */
const turnsMax = 128;
const turnsStep = 64;
/** Maximum size of the stored reasoning of one response in bytes. Reasoning above this size is not stored. */
const valueBytesMax = 256 * 1024;
/**
 * Maximum number of turns that one Redis command loads, so that no reply delays other commands. `loadedBytesMax`
 * limits the bytes of reasoning per request. Older turns beyond this limit are left out.
 */
const loadedTogether = 16;
const loadedBytesMax = 4 * 1024 * 1024;

/** The account, session and provider account that a conversation's reasoning belongs to. */
export interface ReasoningOwner {
  readonly accountId: string;
  readonly sessionId: string | null;
  /**
   * A provider account and a model. The field `credential` is a secret, from which the gateway computes only a
   * digest.
   */
  readonly provider: string;
  readonly model: string;
  readonly credential: string | null;
}

/** The reasoning in one response. */
interface KeptPart {
  /** The id of the tool call that follows the reasoning. Null if a text follows the reasoning. */
  readonly before: string | null;
  readonly text: string;
  readonly signature: string;
  /**
   * The phase of the text that follows the reasoning (`commentary`, `final_answer`). OpenAI treats a message
   * without its phase as an edited message, and drops the reasoning after the message.
   */
  readonly phase?: string | undefined;
}

export interface RestoredRequest {
  readonly request: ChatRequest;
  /** Stores the reasoning that the response to the request contains. */
  readonly recorder: ReasoningRecorder;
}

/**
 * Stores a provider's encrypted reasoning if the client's format cannot carry encrypted reasoning. The gateway adds
 * the reasoning to the next request of the conversation. The reasoning is stored under a digest of the response and
 * the transcript before the response. The reasoning is not found if the client changes the tools, an earlier message
 * or the response. Providers reject or drop reasoning if the prompt before it has changed. The reasoning is
 * encrypted with a key that only the same conversation can derive. While Redis is unavailable, reasoning is dropped.
 */
export class KeptReasoning {
  readonly #cache: SealedCache;
  readonly #log: Logger;

  constructor(cache: SealedCache, log: Logger) {
    this.#cache = cache;
    this.#log = log;
  }

  /** Adds the stored reasoning to the turns of the model. The promise never rejects. */
  async restore(request: ChatRequest, owner: ReasoningOwner): Promise<RestoredRequest> {
    const { turns, end } = digestTurns(request, owner);
    const kept = await this.#load(owner, turns);
    const messages = request.messages.map((message, at) => addReasoning(message, kept.get(at)));
    const recorder = new ReasoningRecorder(end, (digest, parts) => this.#keep(owner, digest, parts));
    return { request: kept.size === 0 ? request : { ...request, messages }, recorder };
  }

  async #load(
    { accountId }: ReasoningOwner,
    turns: readonly DigestedTurn[],
  ): Promise<ReadonlyMap<number, readonly KeptPart[]>> {
    const found = new Map<number, readonly KeptPart[]>();
    let bytes = 0;
    try {
      for (let to = turns.length; to > 0 && bytes < loadedBytesMax; to -= loadedTogether) {
        const some = turns.slice(Math.max(0, to - loadedTogether), to);
        const values = await this.#cache.mgetBuffer(...some.map(({ digest }) => keyOf(accountId, digest)));
        for (const [at, { index, digest }] of some.entries()) {
          const value = values[at];
          bytes += value?.length ?? 0;
          const text = value ? openValue(digest, value) : undefined;
          if (text !== undefined) found.set(index, JSON.parse(text) as KeptPart[]);
        }
      }
    } catch (error) {
      this.#log.debug({ err: error }, 'session cache unavailable, sending the request without reasoning');
    }
    return found;
  }

  #keep({ accountId }: ReasoningOwner, digest: Buffer, parts: readonly KeptPart[]): void {
    const value = sealValue(digest, JSON.stringify(parts));
    if (value.length > valueBytesMax) return;
    this.#cache.set(accountId, keyOf(accountId, digest), value, keptSeconds).catch((error: unknown) => {
      this.#log.debug({ err: error }, 'session cache unavailable, reasoning not stored');
    });
  }
}

function keyOf(accountId: string, digest: Buffer): string {
  return accountKey('reasoning:v1', accountId, nameOf(digest));
}

interface DigestedTurn {
  /** Index of the message that contains the turn. */
  readonly index: number;
  /** Digest of the transcript up to and including the turn. */
  readonly digest: Buffer;
}

/** Computes the digests of the model's latest turns, and a hash of the whole request. */
function digestTurns(
  { messages, tools, settings, extensions }: ChatRequest,
  owner: ReasoningOwner,
): { readonly turns: readonly DigestedTurn[]; readonly end: Hash } {
  const end = createHash('sha256');
  const { accountId, sessionId, provider, model, credential } = owner;
  const { responseFormat, endUser } = settings;
  const user = extensions?.['chat-completions']?.['safety_identifier'];
  const sender = [accountId, sessionId, provider, model, credential, endUser, user];
  addJson(end, [...sender, responseFormat, tools]);
  const total = messages.filter(({ role }) => role === 'assistant').length;
  let skipped = Math.max(0, Math.ceil((total - turnsMax) / turnsStep)) * turnsStep;
  const turns: DigestedTurn[] = [];
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant' && (skipped -= 1) < 0)
      turns.push({ index, digest: digestTurn(end, identify(message)) });
    const parts = message.parts.filter(({ type }) => type !== 'thinking');
    addJson(end, { ...message, parts });
  }
  return { turns, end };
}

/** Adds a string to the hash. The hash excludes cache markers, because clients move them to later messages. */
function addJson(all: Hash, value: unknown): void {
  const text = JSON.stringify(value, (name, member: unknown) => {
    if (name === 'cacheMarker') return undefined;
    return name === 'extensions' ? withoutMarkers(member) : member;
  });
  all.update(text);
}

const markerNames: ReadonlySet<string> = new Set(['cache_control', 'prompt_cache_breakpoint']);

/**
 * Removes cache markers from the fields of each format. A text sent as a list counts as equal to the same text sent
 * as a string, because a cache marker requires a list.
 */
function withoutMarkers(extensions: unknown): unknown {
  const formats = Object.entries(extensions ?? {}).flatMap(([format, fields]) => {
    const left = Object.entries((fields ?? {}) as object).filter(
      ([name, field]) => !markerNames.has(name) && !(name === 'content' && field === 'list'),
    );
    return left.length === 0 ? [] : [[format, left]];
  });
  return formats.length === 0 ? undefined : formats;
}

function digestTurn(before: Hash, identity: Buffer): Buffer {
  return before.copy().update('\n').update(identity).digest();
}

/** A turn is identified by its tool calls, which have unique ids. A turn without calls is identified by its text. */
function identify({ parts }: ChatMessage): Buffer {
  const ids = parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
  const text = createHash('sha256');
  for (const part of parts) if (part.type === 'text') text.update(part.text);
  return identityOf(ids, text);
}

function identityOf(ids: readonly string[], text: Hash): Buffer {
  return ids.length === 0 ? text.digest() : hash('sha256', JSON.stringify(ids), 'buffer');
}

/**
 * Inserts reasoning before the text or tool call that follows it. The stored reasoning
 * replaces the client's own copy, because the copy has no signature.
 */
function addReasoning(message: ChatMessage, kept: readonly KeptPart[] | undefined): ChatMessage {
  if (kept === undefined) return message;
  const parts: ChatPart[] = [];
  const left = [...kept];
  const addBefore = (place: string | null): KeptPart | undefined => {
    let last: KeptPart | undefined;
    while (left[0]?.before === place) parts.push(renderPart((last = left.shift() as KeptPart)));
    return last;
  };
  for (const part of message.parts) {
    if (part.type === 'thinking') continue;
    const before = addBefore(part.type === 'tool-call' ? part.id : null);
    parts.push(before?.phase === undefined || part.type !== 'text' ? part : withPhase(part, before.phase));
  }
  return left.length === 0 ? { ...message, parts } : message;
}

function renderPart({ text, signature }: KeptPart): ChatPart {
  return { type: 'thinking', text, signature };
}

/** Adds the phase as a field of the text's message item. */
function withPhase(part: TextPart, phase: string): TextPart {
  const { responses = {}, ...others } = part.extensions ?? {};
  return { ...part, extensions: { ...others, responses: { ...responses, item: { phase } } } };
}

/** Returns the phase at the start of a message item, if the provider sent a phase. */
function readPhase({ extensions }: Pick<TextPart, 'extensions'>): string | undefined {
  const item = extensions?.['responses']?.['item'];
  const phase = typeof item === 'object' && item !== null && 'phase' in item ? item.phase : undefined;
  return typeof phase === 'string' ? phase : undefined;
}

/** Reads the reasoning from the events of one response. Stores the reasoning once the response is complete. */
export class ReasoningRecorder {
  readonly #before: Hash;
  readonly #keep: (digest: Buffer, parts: readonly KeptPart[]) => void;
  readonly #text = createHash('sha256');
  readonly #ids: string[] = [];
  readonly #parts: KeptPart[] = [];
  /** Complete reasoning that is waiting for the text or tool call that follows it. */
  #ended: Omit<KeptPart, 'before'>[] = [];
  #texts: string[] = [];
  #characters = 0;

  /** @param before the hash of the request */
  constructor(before: Hash, keep: (digest: Buffer, parts: readonly KeptPart[]) => void) {
    this.#before = before;
    this.#keep = keep;
  }

  note(event: StreamEvent): void {
    switch (event.type) {
      case 'thinking-start':
        this.#texts = [];
        return;
      case 'thinking-delta':
        if (this.#fits(event.text)) this.#texts.push(event.text);
        return;
      case 'thinking-end': {
        const { signature } = event;
        if (signature === undefined || !this.#fits(signature)) return;
        this.#ended.push({ text: this.#texts.join(''), signature });
        return;
      }
      case 'text-start':
        this.#place(null, readPhase(event));
        return;
      case 'text-delta':
        this.#text.update(event.text);
        return;
      case 'tool-call-start':
        this.#place(event.id);
        this.#ids.push(event.id);
        return;
      case 'part':
        // The client's format cannot carry this type of item, so the reasoning before the item is dropped.
        this.#ended = [];
        return;
      case 'message-end':
        this.#end();
        return;
      default:
    }
  }

  #fits({ length }: string): boolean {
    this.#characters += length;
    return this.#characters <= charactersMax;
  }

  #place(before: string | null, phase?: string): void {
    for (const part of this.#ended)
      this.#parts.push({ before, ...part, ...(phase === undefined ? {} : { phase }) });
    this.#ended = [];
  }

  #end(): void {
    if (this.#parts.length === 0 || this.#characters > charactersMax) return;
    this.#keep(digestTurn(this.#before, identityOf(this.#ids, this.#text)), this.#parts);
  }
}
