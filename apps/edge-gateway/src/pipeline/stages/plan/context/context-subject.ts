import type { RequestOutline } from '@gateway/interchange';
import type { CatalogModel } from '@gateway/model-catalog';
import type { ContextPart, JsonTape } from '@gateway/wire-formats';
import { findFirstTurn } from '../../../../request/request-facts.ts';

/** A conversation to compress, with the request bytes. */
export interface ContextSubject {
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /** The text of the whole conversation, in order. */
  readonly parts: readonly ContextPart[];
  /** Indexes of the messages that may be compressed, from `listCandidates`. Never empty. */
  readonly candidates: readonly number[];
  readonly requestId: string;
  /** Signal that is aborted when the client disconnects. Nothing is sent after the abort. */
  readonly left: AbortSignal;
  readonly accountId: string;
  readonly settings: ContextSettings;
  /**
   * Whether the account permits the recall of removed text, even if this request cannot carry the recovery
   * tool.
   */
  readonly isRecallable: boolean;
  /**
   * The model that determines the context window and prices. Undefined if the catalogue does not list the
   * model.
   */
  readonly model: CatalogModel | undefined;
  /**
   * Set in a conversation with bound reasoning. With bound reasoning, every request must repeat the earlier
   * messages byte for byte.
   */
  readonly pinned?: UnchangedTurns | undefined;
}

/**
 * Records turns of conversations with bound reasoning durably. The new messages after a recorded turn were
 * sent unchanged.
 */
export interface UnchangedTurns {
  /** Returns the given names that are recorded. Rejects if the record is unavailable. */
  find(names: readonly string[]): Promise<readonly string[]>;
  /**
   * Records the name of a turn. Rejects if the record is unavailable. Absent for a token-counting request,
   * which records nothing.
   */
  readonly keep?: (name: string) => Promise<void>;
}

export interface ContextSettings {
  readonly mode: 'lossless' | 'balanced';
  /** Whether the model can recall removed text. If the model cannot recall text, no text is removed. */
  readonly recoverable: boolean;
  /** The version of the compression steps. */
  readonly version: number;
}

/** Returns other compression settings with which the conversation may have started and can continue. */
export function otherSettings({ settings, isRecallable }: ContextSubject): ContextSettings[] {
  const { mode, recoverable, version } = settings;
  const all: ContextSettings[] = [
    { mode: 'lossless', recoverable: false, version },
    { mode: 'balanced', recoverable: false, version },
    ...(isRecallable ? [{ mode: 'balanced', recoverable: true, version } as const] : []),
  ];
  return all.filter((other) => other.mode !== mode || other.recoverable !== recoverable);
}

type Messages = Pick<RequestOutline, 'messages'>;

/**
 * Returns the index of the model's last message before the given index. Returns -1 if the model has no
 * earlier message.
 */
export function findTurn({ messages }: Messages, before: number): number {
  let at = before - 1;
  while (at >= 0 && messages[at]?.role !== 'assistant') at -= 1;
  return at;
}

/** Returns the index of the first message that the model has not answered yet. */
export function findTail({ messages }: Messages): number {
  return findTurn({ messages }, messages.length) + 1;
}

/**
 * Returns the index of the last message with the client's cache marker. Returns -1 if no message has a cache
 * marker.
 */
export function findLastMarked({ messages }: Messages): number {
  return messages.findLastIndex(({ cacheControl }) => cacheControl);
}

/**
 * Minimum sizes of a message's text in bytes. Compressing shorter messages gains nothing. The minimum for
 * user text is higher, because user text shrinks only where it repeats itself. Compression therefore takes no
 * extra time in ordinary chats.
 */
const resultBytesMin = 40;
const wordsBytesMin = 560;

/**
 * Returns the indexes of the messages that may be compressed: user and tool messages after the model's first
 * turn. The result depends only on the text of the messages, because cache markers move from turn to turn.
 */
export function listCandidates({ messages }: RequestOutline, parts: readonly ContextPart[]): number[] {
  const first = findFirstTurn({ messages });
  const lengths = new Map<number, number>();
  for (const { message, range } of parts)
    if (range !== undefined && message >= first)
      lengths.set(message, (lengths.get(message) ?? 0) + range.end - range.start);
  return [...lengths].flatMap(([index, length]) => {
    const { role, toolResultIds = [] } = messages[index] ?? {};
    if (role !== 'tool' && role !== 'user') return [];
    const isResult = role === 'tool' || toolResultIds.length > 0;
    return length >= (isResult ? resultBytesMin : wordsBytesMin) ? [index] : [];
  });
}
