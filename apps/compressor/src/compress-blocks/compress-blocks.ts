import { hash } from 'node:crypto';
import type { CompressBlocksReply, CompressBlocksRequest, TokenCounts } from '@gateway/contracts';
import { LRUCache } from 'lru-cache';
import type { ChangedBlock } from '../count-tokens/background-counter.ts';
import type { BlockStepReport } from './context-block.ts';
import { ConversationCompressor } from './conversation.ts';

/** Leaves room under the 8 MiB limit of a message. Blocks after this size are returned unchanged. */
const replyBytesMax = 7 * 1024 * 1024;
/** Estimated bytes of a UTF-16 unit in JSON. An escape takes up to six, but most texts take about one. */
const bytesPerUnit = 3;

interface BlockServices {
  readonly store: ConversationStore;
  readonly instanceId: string;
}

interface Compressed {
  readonly reply: CompressBlocksReply;
  /** Text that was left out, by marker id. */
  readonly originals: ReadonlyMap<string, string>;
  readonly changed: readonly ChangedBlock[];
}

/** Continues a remembered conversation, or starts a new one with all of its blocks. */
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

/** The first step's input and the last step's output, in estimated tokens. */
function sumEstimates(steps: readonly BlockStepReport[]): TokenCounts {
  return { before: steps[0]?.tokensBefore ?? 0, after: steps.at(-1)?.tokensAfter ?? 0 };
}

/** Approximate memory of one character of a conversation: its text, its line numbers and its labels. */
const bytesPerCharacter = 6;
const bytesPerConversation = 4_096;

/**
 * Compression state of conversations, by a hash over everything sent so far. A cache only: a forgotten
 * conversation is sent again in full.
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

  /** Removes the returned conversation, because it continues under a new name. */
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
