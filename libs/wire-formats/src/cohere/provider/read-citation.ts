import type { Citation, JsonObject, StreamEvent } from '@gateway/interchange';
import { asList, asObject, asText, isObject, optional } from '../../json/read-members.ts';
import { own } from '../own.ts';
import { tellExtensions } from './steps.ts';
import type { StreamState, StreamStep } from './stream-state.ts';

/** Sources told of one citation. */
const sourcesMax = 64;

/** To the text that is open; a citation of anything else (a plan, a thought) is a member of the message. */
export function readCitation(state: StreamState, raw: JsonObject): StreamStep {
  if (state.open?.kind !== 'text') return tellExtensions(state, 'message', { citations: [raw] });
  const { block } = state.open;
  const events = parseCitation(raw).map((citation): StreamEvent => ({
    type: 'citation',
    choice: 0,
    block,
    citation,
  }));
  return [state, events];
}

/** One for each source. The first has all that the format says. */
export function parseCitation(raw: JsonObject): Citation[] {
  const sources = asList(raw.sources).filter(isObject).slice(0, sourcesMax).map(parseSource);
  const [first = {}, ...others] = sources;
  return [
    { ...first, extensions: own.of({ citation: raw }) },
    ...others.map((source) => ({ ...source, extensions: own.of({}) })),
  ];
}

/** A document of the request, or what a tool gave. */
function parseSource(source: JsonObject): Citation {
  const body = asObject(source.document) ?? asObject(source.tool_output) ?? {};
  return {
    ...optional('title', asText(body.title)),
    ...optional('url', asText(body.url)),
    ...optional('citedText', asText(body.text) ?? asText(body.snippet) ?? asText(body.content)),
  };
}
