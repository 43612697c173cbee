import { hash } from 'node:crypto';
import type { CompressBlocksReply, CompressBlocksRequest, TokenCounts } from '@gateway/contracts';
import { LRUCache } from 'lru-cache';
import type { ChangedBlock } from '../count-tokens/background-counter.ts';
import type { BlockStepReport } from './context-block.ts';
import { ConversationCompressor } from './conversation.ts';

/** Room under the 8 MiB limit of a message; what does not fit any more goes as it came. */
const replyBytesMax = 7 * 1024 * 1024;
/** A UTF-16 unit in JSON: six bytes at worst, an escape; most texts are near one. */
const bytesPerUnit = 3;

interface BlockServices {
  readonly store: ConversationStore;
  readonly instanceId: string;
}

interface Compressed {
  readonly reply: CompressBlocksReply;
  /** What was left out, by the id of its marker. */
  readonly originals: ReadonlyMap<string, string>;
  readonly changed: readonly ChangedBlock[];
}

/** Goes on from a conversation that is remembered, or begins with the whole of it. */
export function compressBlocks(
  request: CompressBlocksRequest,
  { store, instanceId }: BlockServices,
): Compressed {
  const { after, upTo, blocks, mode, recoverable, sessionSeed } = request;
  const conversation =
    after === null ? new ConversationCompressor({ mode, recoverable, sessionSeed }) : store.take(after);
  const originals = new Map<string, string>();
  const changed: ChangedBlock[] = [];
  if (conversation === undefined) return { reply: { status: 'unknown', instanceId }, originals, changed };
  let bytes = 0;
  const results = blocks.map((block) => {
    const isFull = bytes > replyBytesMax;
    const { text, steps, omissions } = conversation.add(isFull ? { ...block, frozen: true } : block);
    bytes += 256 + (text?.length ?? 0) * bytesPerUnit;
    for (const { id, original } of omissions) originals.set(id, original);
    const markers = omissions.map(({ id }) => id);
    if (text === null) return { text, steps: [...steps], markers };
    const id = hash('sha256', `${sessionSeed}\n${block.text}`).slice(0, 16);
    changed.push({ id, before: block.text, after: text, estimated: sumEstimates(steps) });
    return { text, steps: [...steps], markers, id };
  });
  store.keep(upTo, conversation);
  const original = request.recall === undefined ? undefined : originals.get(request.recall);
  return {
    reply: { status: 'compressed', results, ...(original === undefined ? {} : { original }) },
    originals,
    changed,
  };
}

/** Each step is estimated by itself, from what the one before it left. */
function sumEstimates(steps: readonly BlockStepReport[]): TokenCounts {
  return { before: steps[0]?.tokensBefore ?? 0, after: steps.at(-1)?.tokensAfter ?? 0 };
}

/** A character of a conversation takes about this many bytes: its text, its lines by number, its landmarks. */
const bytesPerCharacter = 6;
const bytesPerConversation = 4_096;

/**
 * Conversations as far as they were compressed, by a hash over what was sent of them. Nothing here matters: what is
 * forgotten is told again.
 */
export class ConversationStore {
  readonly #conversations: LRUCache<string, ConversationCompressor>;

  constructor(bytesMax: number) {
    this.#conversations = new LRUCache({
      max: 50_000,
      maxSize: bytesMax,
      sizeCalculation: ({ characters }) => bytesPerConversation + characters * bytesPerCharacter,
    });
  }

  /** A conversation that goes on is another one from then on: it is kept under its new name alone. */
  take(name: string): ConversationCompressor | undefined {
    const conversation = this.#conversations.get(name);
    if (conversation !== undefined) this.#conversations.delete(name);
    return conversation;
  }

  keep(name: string, conversation: ConversationCompressor): void {
    this.#conversations.set(name, conversation);
  }
}

/** Injection token of the instance's id, which `unknown` replies carry. */
export const INSTANCE_ID = Symbol('InstanceId');
