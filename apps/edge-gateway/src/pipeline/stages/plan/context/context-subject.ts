import type { RequestOutline } from '@gateway/interchange';
import type { CatalogModel } from '@gateway/model-catalog';
import type { ClientWireFormat, JsonTape } from '@gateway/wire-formats';

/** A conversation to compress, with the request bytes. */
export interface ContextSubject {
  readonly format: ClientWireFormat;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /** Indexes of the messages that may be compressed, from `listCandidates`. Never empty. */
  readonly candidates: readonly number[];
  readonly requestId: string;
  /** Aborted when the client disconnects. Nothing is sent after the abort. */
  readonly left: AbortSignal;
  readonly accountId: string;
  readonly settings: ContextSettings;
  /** Whether the account permits recall, even if this request cannot carry the recovery tool. */
  readonly isRecallable: boolean;
  /** The model that determines the context window and prices. Undefined if the catalogue does not list it. */
  readonly model: CatalogModel | undefined;
}

export interface ContextSettings {
  readonly mode: 'lossless' | 'balanced';
  /** Whether the model can recall removed text. If false, no text is removed. */
  readonly recoverable: boolean;
}

/** Returns other settings with which the conversation may have started and can continue. */
export function otherSettings({ settings, isRecallable }: ContextSubject): ContextSettings[] {
  const { mode, recoverable } = settings;
  const all: ContextSettings[] = [
    { mode: 'lossless', recoverable: false },
    { mode: 'balanced', recoverable: false },
    ...(isRecallable ? [{ mode: 'balanced', recoverable: true } as const] : []),
  ];
  return all.filter((other) => other.mode !== mode || other.recoverable !== recoverable);
}

/**
 * Minimum message sizes in bytes, including braces and role. Compressing shorter messages saves nothing. User
 * text has a higher minimum, because only repeated parts of it shrink. Ordinary chats therefore take no extra
 * time.
 */
const resultBytesMin = 120;
const wordsBytesMin = 600;

/**
 * Returns the indexes of the messages that may be compressed. These are user and tool messages after the
 * model's first turn and after the client's last cache marker. Earlier messages are instructions and contain
 * no repetition.
 */
export function listCandidates({ messages }: RequestOutline): number[] {
  const first = messages.findIndex(({ role }) => role === 'assistant' || role === 'tool');
  if (first < 0) return [];
  const marked = messages.findLastIndex(({ cacheControl }) => cacheControl);
  const found: number[] = [];
  for (let index = Math.max(first, marked + 1); index < messages.length; index += 1) {
    const message = messages[index];
    if (message === undefined || (message.role !== 'tool' && message.role !== 'user')) continue;
    const isResult = message.role === 'tool' || message.toolResultIds.length > 0;
    const bytesMin = isResult ? resultBytesMin : wordsBytesMin;
    if (message.range.end - message.range.start >= bytesMin) found.push(index);
  }
  return found;
}
