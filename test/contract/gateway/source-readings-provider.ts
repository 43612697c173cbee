/**
 * Reads recordings' raw JSON in the formats that only providers use, as `source-readings.ts` does for client
 * formats.
 */
import { isVersionOne } from '../cohere/meaning.ts';
import { sumStream as sumCohere } from '../cohere/sum-stream.ts';
import { camel } from '../gemini/meaning.ts';
import { chunksOf, sumAnswer } from '../gemini/sum-answer.ts';
import {
  asList,
  asMembers,
  asNumber,
  asText,
  join,
  linksOf,
  noUsage,
  readJson,
  type Members,
  type StopReading,
} from './answer-reading.ts';
import { chooseStop, collect, isStreamed, readChatCall, textOf, type ReadSource } from './source-readings.ts';

const geminiStops: Readonly<Record<string, StopReading>> = {
  STOP: 'stop',
  '1': 'stop',
  MAX_TOKENS: 'length',
  '2': 'length',
  SAFETY: 'filter',
  '3': 'filter',
  RECITATION: 'filter',
  '4': 'filter',
  MODEL_ARMOR: 'filter',
  PROHIBITED_CONTENT: 'filter',
  MALFORMED_FUNCTION_CALL: 'error',
  UNEXPECTED_TOOL_CALL: 'error',
  OTHER: 'unknown',
};

export const readGemini: ReadSource = (recording) => {
  const chunks = chunksOf(textOf(recording));
  const all = chunks.map((chunk) => asMembers(camel(chunk)));
  if (all.every(({ candidates, promptFeedback }) => !candidates && !promptFeedback)) return null;
  const { candidates, usage: rawUsage, promptFeedback, error } = sumAnswer(chunks);
  const isCut = isStreamed(recording) && candidates.some(({ reason }) => reason === undefined);
  if (error !== undefined || isCut) return null;
  const candidate = candidates.find(({ index }) => index === 0);
  const parts = candidate?.parts ?? [];
  const usage = asMembers(rawUsage);
  const output = asNumber(usage.candidatesTokenCount) + asNumber(usage.thoughtsTokenCount);
  // A missing prompt token count is computed as the total token count less the output tokens.
  const input =
    usage.promptTokenCount === undefined
      ? Math.max(asNumber(usage.totalTokenCount) - output, 0)
      : asNumber(usage.promptTokenCount) + asNumber(usage.toolUsePromptTokenCount);
  const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
  const reason = chooseStop(geminiStops, candidate?.reason ?? (promptFeedback ? 'SAFETY' : undefined));
  return {
    reading: {
      text: join(parts.filter(({ thought }) => thought !== true).map(({ text }) => text)),
      thinking: join(parts.filter(({ thought }) => thought === true).map(({ text }) => text)),
      calls: calls
        .map(({ functionCall }) => asMembers(functionCall))
        .map(({ id, name, args }) => ({ id: asText(id) || null, name: asText(name), input: args ?? {} })),
      reason: reason === 'stop' && calls.length > 0 ? 'calls' : reason,
      usage: {
        ...noUsage,
        input,
        output,
        cached: asNumber(usage.cachedContentTokenCount),
      },
      links: linksOf([
        ...citedOf(asMembers(candidate?.groundingMetadata)),
        ...retrievedIn(all.flatMap((chunk) => asList(chunk.candidates))),
      ]),
    },
    beside: collect(
      candidates.length > 1 && 'choices',
      candidate?.groundingMetadata !== undefined && 'citations',
      parts.some((part) => part.text === undefined && part.functionCall === undefined) && 'parts of its own',
    ),
  };
};

/** Returns the pages that the text segments cite. Excludes pages that the model found but did not cite. */
function citedOf({ groundingChunks: chunks, groundingSupports: supports }: Members): unknown[] {
  const found = asList(chunks).map(({ web, retrievedContext, maps }) =>
    asMembers(web ?? retrievedContext ?? maps),
  );
  const used = asList(supports).flatMap(({ groundingChunkIndices: indices }) => indices as number[]);
  return used.map((index) => found[index]?.uri);
}

/** Returns the web pages that the model fetched. */
function retrievedIn(candidates: readonly Members[]): unknown[] {
  return candidates
    .flatMap(({ urlContextMetadata: found }) => asList(asMembers(found).urlMetadata))
    .filter(({ urlRetrievalStatus: status }) => status === 'URL_RETRIEVAL_STATUS_SUCCESS')
    .map(({ retrievedUrl }) => retrievedUrl);
}

const cohereStops: Readonly<Record<string, StopReading>> = {
  COMPLETE: 'stop',
  STOP_SEQUENCE: 'stop',
  MAX_TOKENS: 'length',
  TOOL_CALL: 'calls',
  ERROR_TOXIC: 'filter',
};

export const readCohere: ReadSource = (recording) => {
  const text = textOf(recording);
  const body = isStreamed(recording) ? sumCohere(text) : asMembers(readJson(text));
  if (isVersionOne(body)) return null;
  const message = asMembers(body.message);
  const content = asList(message.content);
  const usage = asMembers(body.usage);
  const tokens = asMembers(usage.tokens);
  return {
    reading: {
      text: join(content.map(({ text }) => text)),
      thinking: asText(message.tool_plan) + join(content.map(({ thinking }) => thinking)),
      calls: asList(message.tool_calls).map((call) => ({ id: asText(call.id), ...readChatCall(call) })),
      reason: chooseStop(cohereStops, body.finish_reason),
      usage: {
        ...noUsage,
        input: asNumber(tokens.input_tokens),
        output: asNumber(tokens.output_tokens),
        cached: asNumber(usage.cached_tokens),
      },
      links: linksOf(
        asList(message.citations)
          .flatMap(({ sources }) => asList(sources))
          .map(({ document, tool_output: output }) => asMembers(document ?? output).url),
      ),
    },
    beside: collect(asList(message.citations).length > 0 && 'citations'),
  };
};
