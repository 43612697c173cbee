import type { ToolDefinition } from '@gateway/contracts';
import { LRUCache } from 'lru-cache';
import { joinParts } from '../encoder/join-parts.ts';
import { makeToolEncoderText } from '../encoder-input/tool-encoder-text.ts';

/** A cross-encoder reads no more of a tool. */
const charactersMax = 800;

/** What a cross-encoder reads of each tool, by definition hash, in this process's memory alone. */
export class ToolTextMemory {
  readonly #texts: LRUCache<string, string>;

  constructor(bytesMax: number) {
    this.#texts = new LRUCache({ maxSize: bytesMax, sizeCalculation: (text) => 200 + 2 * text.length });
  }

  keep(definitions: readonly ToolDefinition[]): void {
    for (const definition of definitions) {
      if (this.#texts.get(definition.hash) !== undefined) continue;
      const text = joinParts(makeToolEncoderText(definition)).slice(0, charactersMax);
      // A cut of a long text would hold on to all of it.
      this.#texts.set(definition.hash, Buffer.from(text).toString());
    }
  }

  find(hash: string): string | undefined {
    return this.#texts.get(hash);
  }
}
