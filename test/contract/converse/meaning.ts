/**
 * Normalizes bodies in this format, so that two bodies with the same meaning become equal. Independent of the
 * code under test. The following pairs have the same meaning. Null and an absent field; an empty list or
 * settings object and no such field; bodies with and without a model, because the path has the model; JSON
 * Schemas that differ only in whitespace.
 */
export type Members = Record<string, unknown>;

/** Documents defined by the client, in which null and empty objects have a meaning. */
const carriedWhole = new Set(['input', 'json', 'additionalModelResponseFields', 'trace']);
/** Fields for which an empty value means the same as no value. */
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
