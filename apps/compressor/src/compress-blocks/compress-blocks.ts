import { hash } from 'node:crypto';
import {
  contextStepsVersions,
  type CompressBlocksReply,
  type CompressBlocksRequest,
  type TokenCounts,
} from '@gateway/contracts';
import { LRUCache } from 'lru-cache';
import type { ChangedBlock } from '../count-tokens/background-counter.ts';
import type { BlockStepReport } from './context-block.ts';
import { ConversationCompressor } from './conversation.ts';

/**
 * Maximum size of a reply in bytes, chosen to leave room below the 8 MiB message limit. Blocks that do not fit into
 * the reply are returned unchanged.
 */
const replyBytesMax = 7 * 1024 * 1024;
/**
 * Estimated number of JSON bytes per UTF-16 unit. A JSON escape takes up to six bytes per unit, but most text
 * takes about one byte per unit.
 */
const bytesPerUnit = 3;

interface BlockServices {
  readonly store: ConversationStore;
  readonly instanceId: string;
}

export interface Compressed {
  readonly reply: CompressBlocksReply;
  /** The omitted texts by marker id. */
  readonly originals: ReadonlyMap<string, string>;
  readonly changed: readonly ChangedBlock[];
}

/**
 * Continues a cached conversation, or starts a new one from all of its blocks. Only one version of
 * the compression steps exists so far. If a second version is added, `ConversationCompressor` must take the
 * version as a setting.
 */
export function compressBlocks(
  request: CompressBlocksRequest,
  { store, instanceId }: BlockServices,
): Compressed {
  const { accountId, after, upTo, blocks, mode, recoverable, sessionSeed, version } = request;
  const originals = new Map<string, string>();
  const changed: ChangedBlock[] = [];
  if (version !== undefined && !contextStepsVersions.includes(version))
    return { reply: { status: 'unsupported' }, originals, changed };
  const conversation =
    after === null ? new ConversationCompressor({ mode, recoverable, sessionSeed }) : store.take(after);
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
    changed.push({ accountId, id, before: block.text, after: text, estimated: sumEstimates(steps) });
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

/** Estimated number of tokens before the first compression step and after the last compression step. */
function sumEstimates(steps: readonly BlockStepReport[]): TokenCounts {
  return { before: steps[0]?.tokensBefore ?? 0, after: steps.at(-1)?.tokensAfter ?? 0 };
}

/** Approximate memory in bytes per character of a conversation, including line numbers and labels. */
const bytesPerCharacter = 6;
const bytesPerConversation = 4_096;

/**
 * Caches the compression state of each conversation under a hash of all blocks sent so far. If a conversation is no
 * longer cached, the gateway sends all blocks of the conversation again.
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

  /** Removes the returned conversation from the cache, because it will be stored again under a new hash. */
  take(name: string): ConversationCompressor | undefined {
    const conversation = this.#conversations.get(name);
    if (conversation !== undefined) this.#conversations.delete(name);
    return conversation;
  }

  keep(name: string, conversation: ConversationCompressor): void {
    this.#conversations.set(name, conversation);
  }
}
