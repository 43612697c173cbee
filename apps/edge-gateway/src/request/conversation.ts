import { hash } from 'node:crypto';
import type { MessageOutline, RequestOutline } from '@gateway/interchange';
import { BatchedHash } from '../bytes/batched-hash.ts';

/**
 * Maximum number of bytes of a message's text that a digest covers. The digest also covers the text's length. It
 * covers raw bytes, so that the gateway does not need to decode the text.
 */
const textBytesMax = 1_000;

/**
 * Identifies the conversation that a request belongs to. The gateway builds this object once per request, and
 * computes each digest on first use. Planning, model pins, shadow conversations and the request log derive their
 * keys from this object. The digests of a conversation cover roles, text and tool calls, and ignore other JSON
 * bytes. A client may move cache markers or shorten tool results within the same conversation.
 */
export class Conversation {
  /** The client's session id. Null if the client sent no session id. */
  readonly sessionId: string | null;
  readonly #outline: Pick<RequestOutline, 'system' | 'messages'>;
  readonly #body: Buffer;
  #opening: Opening | undefined;
  #transcript: Transcript | undefined;

  /** @param body the bytes to which the byte ranges of the outline refer */
  constructor(outline: Pick<RequestOutline, 'system' | 'messages'>, body: Buffer, sessionId: string | null) {
    this.#outline = outline;
    this.#body = body;
    this.sessionId = sessionId;
  }

  /**
   * The key that all requests of the conversation share. Without a session id, the key is a digest of all messages
   * before the model's first turn. All digests exclude the instructions (the system prompt, and system messages at
   * the start). The instructions of agents contain changing text, such as the date, the state of a repository, or
   * ids.
   */
  get key(): string {
    return this.sessionId ?? this.#start.digest;
  }

  /**
   * The key under which the gateway stores the model chosen for the conversation. A session id from the client is
   * used as the key. Without a session id, the key depends on the first messages and the system prompt. Different
   * agents often send the same first message with different system prompts, and may use different models.
   */
  get agentKey(): string {
    if (this.sessionId !== null) return this.sessionId;
    const instructions = instructionsOf(this.#outline);
    if (instructions.length === 0) return this.key;
    const digest = new BatchedHash();
    for (const each of instructions) addMessage(digest, each, this.#body);
    return `${digest.digestText('base64url')}\n${this.key}`;
  }

  /**
   * Digest of all messages before the model's first turn. Unlike `key`, this digest does not depend on the
   * session id.
   */
  get opening(): string {
    return this.#start.digest;
  }

  /**
   * Digest of all messages up to the end of the model's first turn. Null if the model has not responded
   * yet.
   */
  get firstTurn(): string | null {
    const { messages } = this.#outline;
    const { end, hash: opening } = this.#start;
    if (end === messages.length) return null;
    const all = opening.copy();
    for (const message of messages.slice(end)) {
      if (!isModels(message)) break;
      addMessage(all, message, this.#body);
    }
    return digestOf(all);
  }

  /** Digest of all messages. In the next turn's request, the property `before` equals this digest. */
  get here(): string {
    return this.#digests.here;
  }

  /**
   * Digest of all messages before the model's last turn. Null for the first request of a
   * conversation.
   */
  get before(): string | null {
    return this.#digests.before;
  }

  /**
   * One digest for each user turn that the model has answered, newest first, without the first turn. A digest covers
   * all messages up to the user turn. Each digest equals `here` in the request that ended with this user turn.
   */
  get answeredTurns(): readonly string[] {
    const { messages } = this.#outline;
    const { end, hash: opening } = this.#start;
    const all = opening.copy();
    const digests: string[] = [];
    for (const [at, message] of messages.entries()) {
      if (at < end) continue;
      const turn = messages[at - 1];
      if (at > end && isModels(message) && turn !== undefined && isUserTurn(turn))
        digests.push(digestOf(all));
      addMessage(all, message, this.#body);
    }
    return digests.reverse();
  }

  get #start(): Opening {
    return (this.#opening ??= digestOpening(this.#outline.messages, this.#body));
  }

  get #digests(): Transcript {
    return (this.#transcript ??= digestTranscript(this.#outline.messages, this.#body, this.#start));
  }
}

/**
 * Derives a conversation key for one purpose, as SHA-256 in hex. The parameter `owner` limits the scope of
 * the cache key, for example to an account and a tool list.
 */
export function deriveKey(owner: string, key: string): string {
  return hash('sha256', `${owner}\n${key}`);
}

/**
 * The first messages of a conversation, which precede the model's first turn. Model routing needs only the
 * opening messages if the request is not planned.
 */
interface Opening {
  readonly digest: string;
  /** Index of the first message after the conversation's opening messages. */
  readonly end: number;
  /**
   * The hash of the conversation's first messages. Later messages are added to a copy of the hash, because several
   * digests start with the same first messages.
   */
  readonly hash: BatchedHash;
}

/** Returns the instructions, which are the system prompt and the system messages at the start. */
export function instructionsOf({
  system,
  messages,
}: Pick<RequestOutline, 'system' | 'messages'>): readonly MessageOutline[] {
  return [...(system === undefined ? [] : [system]), ...messages.slice(0, findStart(messages))];
}

/** Index of the first message that is not part of the instructions. */
export function findStart(messages: readonly MessageOutline[]): number {
  const start = messages.findIndex(({ role }) => role !== 'system');
  return start < 0 ? messages.length : start;
}

function digestOpening(messages: readonly MessageOutline[], body: Buffer): Opening {
  const opening = new BatchedHash();
  const firstTurn = messages.findIndex(isModels);
  const end = firstTurn < 0 ? messages.length : firstTurn;
  for (const message of messages.slice(findStart(messages), end)) addMessage(opening, message, body);
  return { digest: digestOf(opening), end, hash: opening };
}

interface Transcript {
  readonly before: string | null;
  readonly here: string;
}

function digestTranscript(
  messages: readonly MessageOutline[],
  body: Buffer,
  { digest, end, hash: opening }: Opening,
): Transcript {
  if (end === messages.length) return { before: null, here: digest };
  const all = opening.copy();
  const lastTurn = findLastTurn(messages);
  for (const message of messages.slice(end, lastTurn)) addMessage(all, message, body);
  const before = lastTurn === end ? digest : digestOf(all);
  for (const message of messages.slice(lastTurn)) addMessage(all, message, body);
  return { before, here: digestOf(all) };
}

function isModels({ role }: MessageOutline): boolean {
  return role === 'assistant';
}

/**
 * Whether a message is a turn of the user. A message with tool results continues the model's turn, even if the
 * message also contains text.
 */
export function isUserTurn({ role, toolResultIds }: MessageOutline): boolean {
  return role === 'user' && toolResultIds.length === 0;
}

/** Finds the start of the model's last turn. Consecutive messages of the model count as one turn. */
function findLastTurn(messages: readonly MessageOutline[]): number {
  let at = messages.findLastIndex(isModels);
  while (at > 0 && messages[at - 1]?.role === 'assistant') at -= 1;
  return at;
}

function addMessage(all: BatchedHash, message: MessageOutline, body: Buffer): void {
  const { role, toolCalls, toolResultIds } = message;
  const ids = [...toolCalls.map(({ id, name }) => `${id}:${name}`), ...toolResultIds].join(',');
  // A tool result is identified by its call ids, not by its text.
  // The text of a tool result may be long, and clients may shorten the text later.
  const isResult = role === 'tool' || toolResultIds.length > 0;
  const ranges = isResult ? [] : message.textRanges();
  const length = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  all.add(`${role}\n${ids}\n${length}\n`);
  let left = textBytesMax;
  for (const { start, end } of ranges) {
    if (left <= 0) break;
    all.addBytes(body, start, Math.min(end, start + left));
    left -= end - start;
  }
}

function digestOf(all: BatchedHash): string {
  return all.copy().digestText('base64url');
}
