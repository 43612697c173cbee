import type { ModelKind, ModelRecordInput } from '@gateway/model-catalog';
import type { GenaiPrices } from './genai-prices.ts';
import { providerRules } from './provider-rules.ts';
import type { UpdateReport } from './report.ts';
import { addRetirement } from './retirements.ts';

interface OtherModel {
  readonly provider: string;
  readonly modelId: string;
  readonly kind: ModelKind;
  readonly aliases?: readonly string[];
  /**
   * The source of the model. `recorded-exchanges` means that, according to a public recording, the provider
   * served or listed the model.
   */
  readonly source: 'recorded-exchanges' | 'genai-prices';
}

const recorded = (
  provider: string,
  modelId: string,
  kind: ModelKind,
  aliases: string[] = [],
): OtherModel => ({
  provider,
  modelId,
  kind,
  aliases,
  source: 'recorded-exchanges',
});

/**
 * Non-chat models that models.dev does not list. Each model has a source as evidence that it
 * exists.
 */
const otherModels: readonly OtherModel[] = [
  recorded('openai', 'tts-1', 'speech'),
  recorded('openai', 'dall-e-2', 'image'),
  recorded('openai', 'omni-moderation-latest', 'moderation'),
  recorded('openai', 'text-moderation-007', 'moderation'),
  { provider: 'openai', modelId: 'gpt-4o-mini-tts', kind: 'speech', source: 'genai-prices' },
  { provider: 'openai', modelId: 'gpt-4o-transcribe', kind: 'transcription', source: 'genai-prices' },
  { provider: 'openai', modelId: 'gpt-4o-mini-transcribe', kind: 'transcription', source: 'genai-prices' },
  recorded('mistral', 'codestral-embed', 'embedding', ['codestral-embed-2505']),
  recorded('mistral', 'mistral-ocr-latest', 'ocr'),
  recorded('mistral', 'mistral-ocr-2512', 'ocr'),
  recorded('mistral', 'mistral-moderation-2603', 'moderation'),
  recorded('mistral', 'voxtral-mini-tts-latest', 'speech', ['voxtral-mini-tts-2603']),
  recorded('xai', 'grok-imagine-image-pro', 'image'),
  recorded('openrouter', 'openai/text-embedding-3-small', 'embedding'),
  recorded('openrouter', 'cohere/rerank-v3.5', 'rerank'),
  recorded('perplexity', 'pplx-embed-v1-0.6b', 'embedding'),
  recorded('google', 'gemini-embedding-2', 'embedding'),
  recorded('google', 'veo-3.1-lite-generate-preview', 'video'),
  recorded('cohere', 'rerank-v3.5', 'rerank'),
  recorded('cohere', 'embed-v4.0', 'embedding'),
  {
    provider: 'hosted',
    modelId: 'amazon.titan-embed-text-v1',
    kind: 'embedding',
    source: 'genai-prices',
  },
];

/**
 * Converts models that are not chat models into records. Unknown facts are null, and missing prices are
 * reported.
 */
export function convertOtherModels(
  provider: string,
  known: ReadonlySet<string>,
  { genaiPrices, onDate }: { genaiPrices: GenaiPrices | undefined; onDate: string },
  report: UpdateReport,
): ModelRecordInput[] {
  return otherModels
    .filter((model) => model.provider === provider && !known.has(model.modelId))
    .filter((model) => model.source !== 'genai-prices' || genaiPrices !== undefined)
    .map((model) => {
      const prices = findPrices(model, genaiPrices, onDate, report);
      const sources = new Set([model.source, ...(prices === null ? [] : ['genai-prices'])]);
      return addRetirement(renderRecord(model, prices, [...sources]));
    });
}

/**
 * Returns only the text input price, which applies to embedding models. A single price per token does not
 * cover audio, images and searches.
 */
function findPrices(
  { provider, modelId, kind }: OtherModel,
  genaiPrices: GenaiPrices | undefined,
  onDate: string,
  report: UpdateReport,
): ModelRecordInput['prices'] {
  const list = providerRules.find((rule) => rule.provider === provider)?.genaiPrices ?? null;
  const found = list === null ? undefined : genaiPrices?.pricesOf(list, modelId, onDate);
  const subject = `${provider}/${modelId}`;
  if (kind === 'embedding' && found?.input !== undefined) return { input: found.input, output: 0 };
  if (found === undefined) report.add('missing-price', subject, 'has no prices, so its costs are unknown');
  else report.add('not-carried', subject, 'its prices depend on the kind of token');
  return null;
}

function renderRecord(
  { provider, modelId, kind, aliases = [] }: OtherModel,
  prices: ModelRecordInput['prices'],
  sources: string[],
): ModelRecordInput {
  return {
    provider,
    modelId,
    ...(aliases.length > 0 && { aliases: [...aliases] }),
    kind,
    formats: [],
    contextWindow: null,
    maxOutputTokens: null,
    capabilities: {
      tools: null,
      images: null,
      documents: null,
      jsonMode: null,
      streaming: null,
      thinking: null,
    },
    releasedAt: null,
    prices,
    cache: null,
    sources,
  };
}
