import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { Tensor, type InferenceSession } from 'onnxruntime-node';
import { z } from 'zod';

/** Default maximum number of tokens per text. A model directory can specify a smaller limit. */
const tokensMaxDefault = 512;
/**
 * Assumed maximum length of a token in characters. Before tokenization, a text is cut to this length multiplied
 * by the maximum number of tokens.
 */
const charactersPerTokenMax = 8;

const tokenizerConfigSchema = z.looseObject({ model_max_length: z.number().optional().catch(undefined) });
const sentenceConfigSchema = z.looseObject({
  max_seq_length: z.int().positive().optional().catch(undefined),
});
const tokenizerFileSchema = z.looseObject({
  truncation: z
    .looseObject({ max_length: z.int().positive().optional().catch(undefined) })
    .nullish()
    .catch(undefined),
});

/** The tokenizer of a transformer directory (`tokenizer.json`), with its length limits. */
export class TextTokens {
  readonly #tokenizer: Tokenizer;
  readonly #tokensMax: number;

  private constructor(tokenizer: Tokenizer, tokensMax: number) {
    this.#tokenizer = tokenizer;
    this.#tokensMax = tokensMax;
  }

  /**
   * @param tokensMax maximum number of tokens per text, even if the model permits more tokens.
   * @throws if the directory has no tokenizer.
   */
  static async open(directory: string, tokensMax: number = tokensMaxDefault): Promise<TextTokens> {
    const file = JSON.parse(await readFile(join(directory, 'tokenizer.json'), 'utf8')) as object;
    const config = await readJson(join(directory, 'tokenizer_config.json'));
    const sentence = sentenceConfigSchema.parse(await readJson(join(directory, 'sentence_bert_config.json')));
    const said = [
      sentence.max_seq_length,
      tokenizerConfigSchema.parse(config).model_max_length,
      tokenizerFileSchema.parse(file).truncation?.max_length,
    ];
    const bounds = said.filter((bound): bound is number => bound !== undefined && bound >= 4);
    return new TextTokens(new Tokenizer(file, config), Math.min(tokensMax, ...bounds));
  }

  /**
   * The inputs of an inference for one text or a pair of texts, truncated to the model's limit. In a pair of
   * texts, only the second text is truncated to the limit.
   */
  feeds(session: InferenceSession, text: string, pair?: string): Record<string, Tensor> {
    const { ids, typeIds } = this.#encode(text, pair);
    const shape = [1, ids.length];
    const feeds: Record<string, Tensor> = {};
    for (const name of session.inputNames) {
      if (name === 'input_ids') feeds[name] = new Tensor('int64', BigInt64Array.from(ids, BigInt), shape);
      else if (name === 'attention_mask')
        feeds[name] = new Tensor('int64', new BigInt64Array(ids.length).fill(1n), shape);
      else if (name === 'token_type_ids')
        feeds[name] = new Tensor('int64', BigInt64Array.from(typeIds, BigInt), shape);
      else if (name === 'position_ids')
        feeds[name] = new Tensor('int64', BigInt64Array.from(ids.keys(), BigInt), shape);
      else throw new Error(`the model has an unknown input: ${name}`);
    }
    return feeds;
  }

  #encode(text: string, pair: string | undefined): { ids: number[]; typeIds: number[] } {
    const charactersMax = this.#tokensMax * charactersPerTokenMax;
    const { ids, token_type_ids } = this.#tokenizer.encode(text.slice(0, charactersMax), {
      ...(pair === undefined ? {} : { text_pair: pair.slice(0, charactersMax) }),
      return_token_type_ids: true,
    });
    if (!ids.every(Number.isInteger)) throw new Error('the tokenizer returned a token without an id');
    const typeIds = token_type_ids;
    if (ids.length <= this.#tokensMax) return { ids, typeIds };
    // A truncated text keeps the last token, which marks the end of the text.
    const cut = <Value>(list: readonly Value[]): Value[] => [
      ...list.slice(0, this.#tokensMax - 1),
      ...list.slice(-1),
    ];
    return { ids: cut(ids), typeIds: cut(typeIds) };
  }
}

/** Reads an optional JSON file. Returns an empty object if the JSON file is missing. */
export async function readJson(path: string): Promise<object> {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  const value = JSON.parse(text) as unknown;
  return typeof value === 'object' && value !== null ? value : {};
}
