import type { embedTools as contract } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import type { EncoderText } from '../inference/inference-protocol.ts';
import { InferenceRefused, type Inference } from '../inference/inference.port.ts';
import { renderToolText } from '../encoder/tool-encoder-text.ts';

/** Computes vectors for other services, at the lowest urgency. */
export class ToolEmbedding {
  readonly #inference: Inference;

  constructor(inference: Inference) {
    this.#inference = inference;
  }

  async embed({ tools, words }: ParsedRequestOf<typeof contract>): Promise<ReplyOf<typeof contract>> {
    const { encoder } = this.#inference;
    if (encoder === undefined) return { vectors: null };
    const texts = tools.map((tool) => renderToolText({ hash: '', examples: [], ...tool }));
    const names = words.map((text): EncoderText => [{ field: 'name', text }]);
    try {
      const made = [await this.#encode(texts), await this.#encode(names)] as const;
      return { vectors: { dimensions: encoder.dimensions, tools: made[0], words: made[1] } };
    } catch (error) {
      if (error instanceof InferenceRefused) return { vectors: null };
      throw error;
    }
  }

  async #encode(texts: readonly EncoderText[]): Promise<string> {
    const parts: Buffer[] = [];
    let from = 0;
    while (from < texts.length) {
      // The task size adapts after each task, so the code reads the size again before the next task.
      const some = texts.slice(from, from + this.#inference.textsPerTask);
      from += some.length;
      const numbers = await this.#inference.run({ kind: 'encode', texts: some }, { urgency: 'later' });
      parts.push(Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength));
    }
    return Buffer.concat(parts).toString('base64');
  }
}
