import { LRUCache } from 'lru-cache';
import type { ConversationCompressor } from './conversation.ts';

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
