/**
 * What two bodies of the format have to share to mean the same, written apart from the code under test. Said in two
 * ways, meaning one: null and absent; an empty list or object of settings and none; the model in the body, which the
 * address says; a JSON Schema in other white space.
 */
export type Members = Record<string, unknown>;

/** Documents of the client's own: a null or an empty object in them counts. */
const carriedWhole = new Set(['input', 'json', 'additionalModelResponseFields', 'trace']);
/** Members that say nothing when they are empty. */
const emptyIsAbsent = new Set([
  'system',
  'inferenceConfig',
  'tools',
  'toolConfig',
  'additionalModelRequestFields',
]);

export function requestMeaning(body: Members): Members {
  const meaning = normalize(body) as Members;
  delete meaning.modelId;
  meaning.messages = meaning.messages ?? [];
  return meaning;
}

export function responseMeaning(body: Members): Members {
  return normalize(body) as Members;
}

function normalize(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normalize);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      if (member === null) return [];
      if (carriedWhole.has(name)) return [[name, member as unknown]];
      const inner = normalize(member);
      return emptyIsAbsent.has(name) && isEmpty(inner) ? [] : [[name, inner]];
    }),
  );
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
