import type { CompressBlocksRequest, CompressSchemasReply } from '@gateway/contracts';
import { compressBlocks, ConversationStore, type Compressed } from '../compress-blocks/compress-blocks.ts';
import { compressSchemas, type SchemaMode } from '../compress-schemas/compress-schemas.ts';

/** A compression task that is sent to the worker thread. */
export type LargeTask =
  | { readonly kind: 'blocks'; readonly request: CompressBlocksRequest }
  | {
      readonly kind: 'schemas';
      readonly mode: SchemaMode;
      readonly definitions: readonly { readonly hash: string; readonly text: string }[];
    };

export interface LargeTaskResults {
  readonly blocks: Compressed;
  readonly schemas: CompressSchemasReply;
}

export interface ThreadData {
  /** Approximate memory for the conversations in the worker thread, in bytes. */
  readonly conversationBytesMax: number;
  readonly instanceId: string;
}

/** Runs the compression tasks of one worker thread. Each worker thread stores its own conversations. */
export class LargeWork {
  readonly #store: ConversationStore;
  readonly #instanceId: string;

  constructor({ conversationBytesMax, instanceId }: ThreadData) {
    this.#store = new ConversationStore(conversationBytesMax);
    this.#instanceId = instanceId;
  }

  run(task: LargeTask): Compressed | CompressSchemasReply {
    if (task.kind === 'schemas') return compressSchemas(task.definitions, task.mode);
    return compressBlocks(task.request, { store: this.#store, instanceId: this.#instanceId });
  }
}
