import type { ByteEdit, JsonObject } from '@gateway/interchange';
import type { ProviderHalf } from './format.ts';
import { asList } from './json/read-members.ts';
import type { JsonNode } from './json/json-node.ts';
import type { JsonTape } from './json/json-tape.ts';
import type { RequestEdit } from './request-edit.ts';

/** What a request is to hold beside what its client wrote, in a format's own words: a body with these alone in it. */
export function renderAdded(
  render: ProviderHalf['renderRequest'],
  { addTools = [], addMessages = [] }: Pick<RequestEdit, 'addTools' | 'addMessages'>,
): JsonObject {
  if (addTools.length === 0 && addMessages.length === 0) return {};
  const request = {
    model: '',
    messages: addMessages,
    tools: addTools,
    toolChoice: { mode: 'unset' },
    settings: {},
    stream: false,
    streamsUsage: false,
  } as const;
  return render(request, { model: '' }).body;
}

/** Puts items behind the last one of an array. `followsNone`: whether no item of it stays; asked when it matters. */
export function addItems(
  tape: JsonTape,
  array: JsonNode | undefined,
  items: unknown,
  followsNone: () => boolean,
): ByteEdit[] {
  const added = asList(items);
  if (array === undefined || added.length === 0) return [];
  const end = tape.end(array) - 1;
  const text = added.map((item) => JSON.stringify(item)).join(',');
  return [{ start: end, end, replacement: followsNone() ? text : `,${text}` }];
}

export function isEmptyArray(tape: JsonTape, array: JsonNode | undefined): () => boolean {
  return () => array === undefined || tape.items(array).length === 0;
}
