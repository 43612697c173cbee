import fc from 'fast-check';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Strings that have broken stream parsers and JSON parsers, such as line ends, field names, terminators and
 * partial characters.
 */
const words = [
  '\n\n',
  '\r\n\r\n',
  '\r',
  '\n',
  'data: ',
  'data: [DONE]\n\n',
  '\n\ndata: [DONE]\n\n',
  '\n\nevent: message_stop\ndata: {"type":"message_stop"}\n\n',
  '\n\ndata: {"error":{"message":"forged"}}\n\n',
  'event: error\n',
  'id: 1\n',
  'retry: 1\n',
  ': comment\n',
  '[DONE]',
  '\0',
  '\u2028',
  '\u2029',
  '\u0085',
  '\ufeff',
  '\ud83d',
  '\ude00',
  '😀',
  '</script>',
  '"}',
  '\\u000a',
  '\\',
  '__proto__',
  'constructor',
  'toString',
];

/** Any string. Strings that have broken parsers occur more often than in random text. */
export const text: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...words),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 6 })), { maxLength: 6 })
    .map((parts) => parts.join('')),
);

export const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<Json>(null, true, false, 0, -1, 1e300, 0.1, '', [], {}),
    text,
    fc.integer(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4 }),
  ),
})).value;

/** Splits the bytes at arbitrary positions. */
export function cutAnywhere(bytes: fc.Arbitrary<Buffer>): fc.Arbitrary<Buffer[]> {
  return fc.tuple(bytes, fc.array(fc.nat(4096), { maxLength: 8 })).map(([whole, at]) => {
    const edges = [0, ...at.map((each) => each % (whole.length + 1)).sort((a, b) => a - b), whole.length];
    return edges.slice(1).map((end, index) => whole.subarray(edges[index], end));
  });
}

export const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));

/** A valid JSON document in which some values are replaced, removed, repeated or renamed. */
export function mutated(base: Json): fc.Arbitrary<Json> {
  const change = fc.record({
    at: fc.nat(10_000),
    how: fc.constantFrom('replace', 'replace', 'text', 'remove', 'repeat', 'rename'),
    value: json,
    word: text,
  });
  return fc
    .array(change, { maxLength: 3 })
    .map((changes) => changes.reduce(applyChange, structuredClone(base)));
}

interface Change {
  readonly at: number;
  readonly how: string;
  readonly value: Json;
  readonly word: string;
}

type Place = { readonly holder: Json[] | { [key: string]: Json }; readonly key: string };

function applyChange(root: Json, { at, how, value, word }: Change): Json {
  const places = listPlaces(root);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return value;
  const { holder, key } = place;
  const own = Array.isArray(holder) ? holder[Number(key)] : holder[key];
  const put = (to: string, what: Json): void => {
    Object.defineProperty(holder, to, { value: what, enumerable: true, writable: true, configurable: true });
  };
  if (how === 'text') put(key, word);
  else if (how === 'replace') put(key, value);
  else if (Array.isArray(holder)) {
    if (how === 'remove') holder.splice(Number(key), 1);
    else holder.push(structuredClone(own ?? null));
  } else {
    if (how === 'rename') put(word, own ?? null);
    Reflect.deleteProperty(holder, key);
  }
  return root;
}

function listPlaces(value: Json): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...listPlaces(inner)]);
}
