import type { RequestOutline } from '@gateway/interchange';
import type { CatalogModel } from '@gateway/model-catalog';
import type { ClientWireFormat, JsonTape } from '@gateway/wire-formats';

/** A conversation to compress, with the bytes it stands in. */
export interface ContextSubject {
  readonly format: ClientWireFormat;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /** `listCandidates` of the outline: never none. */
  readonly candidates: readonly number[];
  readonly requestId: string;
  /** Aborted when the client has left: then nothing goes out. */
  readonly left: AbortSignal;
  readonly accountId: string;
  readonly settings: ContextSettings;
  /** Whether the account lets models ask for what was left out, though this request may leave no room for it. */
  readonly isRecallable: boolean;
  /** Whose window and prices count. Undefined: the catalogue does not know it. */
  readonly model: CatalogModel | undefined;
}

export interface ContextSettings {
  readonly mode: 'lossless' | 'balanced';
  /** Whether the model can ask for what is left out: nothing is, where it cannot. */
  readonly recoverable: boolean;
}

/** Settings that a session may have been begun under, and can be gone on with. */
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
 * Messages under this, their braces and role included, are too short to gain anything. People's words gain by what they repeat
 * alone, so they have to be longer than most are: a chat costs nothing extra.
 */
const resultBytesMin = 120;
const wordsBytesMin = 600;

/**
 * Positions of the messages that may be compressed: the users' and the tools' after the model's first turn and after the
 * client's last cache marker. What comes before the model's first turn is instructions, and repeats nothing.
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
