/**
 * Normalizes bodies of the format, so that two bodies with the same meaning are equal. Independent of the
 * code under test. Equal in meaning are: null and absent; an empty list or object of settings and none; a
 * model in the body, because the path has it; JSON Schemas with different whitespace.
 */
export type Members = Record<string, unknown>;

/** The client's own documents, in which null and empty objects have a meaning. */
const carriedWhole = new Set(['input', 'json', 'additionalModelResponseFields', 'trace']);
/** Fields without meaning when they are empty. */
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
