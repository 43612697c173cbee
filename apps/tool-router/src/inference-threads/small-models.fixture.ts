import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  elementType,
  int64Tensor,
  model,
  node,
  tensor,
  valueInfo,
} from '../../../../training/onnx-writer.ts';
import { makeRerankerModel } from '../../../../training/reranker-graph.ts';
import { allFeatureNames } from '../second-stage/feature-names.ts';

/** The vocabulary of the small test models. All words outside the vocabulary become `[UNK]`. */
export const smallWords = [
  'create',
  'issue',
  'delete',
  'weather',
  'forecast',
  'send',
  'mail',
  'list',
] as const;
const special = ['[PAD]', '[UNK]', '[CLS]', '[SEP]'];
const vocabulary = [...special, ...smallWords];
const dimensions = vocabulary.length;

const floats = (name: string, shape: readonly number[], values: readonly number[]): Buffer =>
  tensor(name, elementType.float, shape, new Uint8Array(Float32Array.from(values).buffer));
const inputs = ['input_ids', 'attention_mask', 'token_type_ids'].map((name) =>
  valueInfo(name, elementType.int64, ['texts', 'tokens']),
);

/**
 * A whole-word tokenizer in the Hugging Face file format. The template for a pair of texts is
 * `[CLS] one [SEP] other [SEP]`.
 */
export function makeTokenizerJson(): string {
  const ids = Object.fromEntries(vocabulary.map((word, id) => [word, id]));
  const part = (id: string, type_id: number) => ({ Sequence: { id, type_id } });
  const mark = (id: string, type_id: number) => ({ SpecialToken: { id, type_id } });
  return JSON.stringify({
    version: '1.0',
    truncation: { max_length: 32, strategy: 'LongestFirst', stride: 0, direction: 'Right' },
    padding: null,
    added_tokens: special.map((content, id) => ({
      id,
      content,
      single_word: false,
      lstrip: false,
      rstrip: false,
      normalized: false,
      special: true,
    })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [mark('[CLS]', 0), part('A', 0), mark('[SEP]', 0)],
      pair: [mark('[CLS]', 0), part('A', 0), mark('[SEP]', 0), part('B', 1), mark('[SEP]', 1)],
      special_tokens: Object.fromEntries(
        ['[CLS]', '[SEP]'].map((id) => [id, { id, ids: [ids[id]], tokens: [id] }]),
      ),
    },
    decoder: null,
    model: {
      type: 'WordPiece',
      vocab: ids,
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
    },
  });
}

/** Maps each word to its own unit vector, so that the vector of a text shows which words the text contains. */
export function makeSentenceModel(): Buffer {
  const rows = vocabulary.flatMap((_, id) => vocabulary.map((__, at) => (at === id ? 1 : 0)));
  return model(
    {
      name: 'sentence',
      initializers: [floats('table', [dimensions, dimensions], rows)],
      inputs,
      nodes: [node('Gather', ['table', 'input_ids'], 'last_hidden_state', { axis: 0 })],
      outputs: [valueInfo('last_hidden_state', elementType.float, ['texts', 'tokens', dimensions])],
    },
    13,
  );
}

/** A model that scores a text by the number of times that the text contains `forecast`. */
export function makeCrossModel(): Buffer {
  const weights = vocabulary.map((word) => (word === 'forecast' ? 1 : 0));
  return model(
    {
      name: 'cross',
      initializers: [floats('weights', [dimensions], weights), int64Tensor('token_axis', [1])],
      inputs,
      nodes: [
        node('Gather', ['weights', 'input_ids'], 'shares', { axis: 0 }),
        node('ReduceSum', ['shares', 'token_axis'], 'logits', { keepdims: 1 }),
      ],
      outputs: [valueInfo('logits', elementType.float, ['texts', 1])],
    },
    13,
  );
}

/** The files in a sentence transformer directory, keyed by path. */
export function sentenceFiles(): Record<string, Buffer | string> {
  return {
    'model.onnx': makeSentenceModel(),
    'tokenizer.json': makeTokenizerJson(),
    'tokenizer_config.json': '{"model_max_length": 512}',
    'config.json': '{"architectures": ["BertModel"]}',
    '1_Pooling/config.json': '{"pooling_mode_mean_tokens": true}',
  };
}

/** The files in a cross-encoder directory, keyed by path. */
export function crossFiles(): Record<string, Buffer | string> {
  return {
    'model.onnx': makeCrossModel(),
    'tokenizer.json': makeTokenizerJson(),
    'config.json': '{"architectures": ["BertForSequenceClassification"]}',
  };
}

/**
 * The files in the directory of a second encoder, keyed by path. The second stage scores a tool only by the
 * second encoder's cosine.
 */
export function secondEncoderFiles(): Record<string, Buffer | string> {
  const linear = allFeatureNames.map((name) => (name === 'second_absolute' ? 10 : 0));
  const inward = allFeatureNames.map(() => [0]);
  return {
    ...sentenceFiles(),
    'second-stage/features.json': JSON.stringify({ features: allFeatureNames }),
    'second-stage/model.onnx': makeRerankerModel({ linear, inward, bias: [0], outward: [0] }),
  };
}

export async function writeFolder(
  directory: string,
  files: Readonly<Record<string, Buffer | string>>,
): Promise<string> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(directory, path, '..'), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  return directory;
}
