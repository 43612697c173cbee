/** Reads the raw JSON of Responses API recordings, as `source-readings.ts` does for the other client formats. */
import {
  asList,
  asMembers,
  asNumber,
  asText,
  join,
  linksOf,
  readJson,
  type AnswerReading,
  type CallReading,
  type Members,
  type StopReading,
} from './answer-reading.ts';
import { collect, isStreamed, textOf, type ReadSource } from './source-readings.ts';

/**
 * Builds a non-streaming response from a stream. The complete items come from `output_item.done` events, and
 * all other fields come from the last event. Clients assemble texts and arguments from the deltas. In edited
 * recordings, the deltas differ from the items.
 */
function sumStream(text: string): Members | null {
  const events = text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => asMembers(readJson(line.slice('data:'.length).trim())));
  const last = events.find(({ type }) => /^response\.(?:completed|incomplete)$/.test(asText(type)));
  if (last === undefined || events.some(({ type }) => type === 'error')) return null;
  const items = events
    .filter(({ type }) => type === 'response.output_item.done')
    .map(({ item, output_index: index }) => {
      const deltas = events.filter(
        (event) =>
          event.output_index === index &&
          /(?:output_text|function_call_arguments)\.delta$/.test(asText(event.type)),
      );
      return deltas.length === 0
        ? asMembers(item)
        : withText(asMembers(item), join(deltas.map(({ delta }) => delta)));
    });
  const body = asMembers(last.response);
  return { ...body, output: items.length > 0 ? items : body.output };
}

function withText(item: Members, text: string): Members {
  return item.type === 'message'
    ? { ...item, content: [{ ...asList(item.content)[0], text }] }
    : { ...item, arguments: text };
}

function chooseReason(body: Members, hasCalls: boolean): StopReading {
  const detail = asMembers(body.incomplete_details).reason;
  if (detail === 'max_output_tokens') return 'length';
  if (detail === 'content_filter') return 'filter';
  if (!['completed', 'complete', ''].includes(asText(body.status))) return 'unknown';
  return hasCalls ? 'calls' : 'stop';
}

function readCall({ type, call_id: id, name, input, arguments: given }: Members): CallReading {
  const called = type === 'custom_tool_call' ? { input } : readJson(asText(given));
  return { id: asText(id) || null, name: asText(name), input: called };
}

const ownItems = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call']);

/** Reads a complete response from a recording or from the SDK. */
export function readResponse(body: Members): AnswerReading {
  const output = asList(body.output);
  const parts = messagePartsOf(output);
  const annotations = parts.flatMap(({ annotations: cited }) => asList(cited));
  const calls = itemsOf(output, 'function_call', 'custom_tool_call');
  const usage = asMembers(body.usage);
  const details = asMembers(usage.input_tokens_details);
  return {
    text: join(parts.map(({ type, text, refusal }) => (type === 'refusal' ? refusal : text))),
    thinking: itemsOf(output, 'reasoning')
      .map(({ summary, content }) =>
        [...asList(summary), ...asList(content)].map(({ text }) => asText(text)).join('\n\n'),
      )
      .join(''),
    calls: calls.map(readCall),
    reason: chooseReason(body, calls.length > 0),
    usage: {
      input: asNumber(usage.input_tokens),
      output: asNumber(usage.output_tokens),
      cached: asNumber(details.cached_tokens),
      written: asNumber(details.cache_write_tokens),
    },
    links: linksOf(annotations.filter(({ type }) => type === 'url_citation').map(({ url }) => url)),
  };
}

function itemsOf(output: readonly Members[], ...types: readonly string[]): Members[] {
  return output.filter(({ type }) => types.includes(asText(type)));
}

function messagePartsOf(output: readonly Members[]): Members[] {
  return itemsOf(output, 'message').flatMap(({ content }) => asList(content));
}

export const readResponses: ReadSource = (recording) => {
  const streamed = isStreamed(recording);
  const body = streamed ? sumStream(textOf(recording)) : asMembers(readJson(textOf(recording)));
  if (body === null || !Array.isArray(body.output) || asMembers(body.error) === body.error) return null;
  const output = asList(body.output);
  return {
    reading: readResponse(body),
    beside: collect(
      messagePartsOf(output).some(({ annotations }) => asList(annotations).length > 0) && 'citations',
      output.some(({ type }) => !ownItems.has(asText(type))) && 'parts of its own',
      itemsOf(output, 'custom_tool_call').length > 0 && 'calls of custom tools',
    ),
  };
};
