import type { Citation, JsonObject } from '@gateway/interchange';
import { asList, asNumber, asObject, asText, isObject, optional } from '../../json/read-members.ts';
import { own } from '../own.ts';

/** Citations told of one candidate: more than an answer has sentences. */
const citationsMax = 1024;

/** What a grounded answer rests on: each source of each supported segment. */
export function parseCitations(groundingMetadata: unknown): Citation[] {
  const grounding = asObject(groundingMetadata) ?? {};
  const chunks = asList(grounding.groundingChunks);
  return asList(grounding.groundingSupports)
    .filter(isObject)
    .flatMap((support) => citeSources(support, chunks))
    .slice(0, citationsMax);
}

function citeSources(support: JsonObject, chunks: readonly unknown[]): Citation[] {
  const { segment } = support;
  return asList(support.groundingChunkIndices).flatMap((index) => {
    const chunk = asObject(chunks[asNumber(index) ?? -1]);
    const source = asObject(chunk?.web) ?? asObject(chunk?.retrievedContext) ?? asObject(chunk?.maps);
    if (source === undefined) return [];
    return {
      ...optional('title', asText(source.title)),
      ...optional('url', asText(source.uri)),
      ...optional('citedText', asText(source.text)),
      extensions: own.of({ segment }),
    };
  });
}
