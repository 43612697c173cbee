import type { VocabularyOptions } from '../apps/tool-router/src/encoder/vocabulary.ts';

/** The shape of the shipped encoder. If the shape changes, the encoder must be trained again. */
export const wordsMax = 38_000;
export const dimensions = 256;
export const vocabularyOptions: VocabularyOptions = {
  buckets: 8_192,
  tokensMax: {
    query: 96,
    context: 96,
    name: 16,
    description: 96,
    parameterName: 48,
    parameterDescription: 64,
    enumValue: 24,
    example: 96,
  },
};
