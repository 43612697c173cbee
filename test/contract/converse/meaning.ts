/**
 * Normalizes request and response bodies in the Converse format. After normalization, two bodies with the
 * same meaning are equal. The normalization shares no code with the code under test. A null field is treated
 * as absent. An empty list or settings object is treated as absent. The body's model is ignored, because the
 * URL path contains the model. JSON Schemas that differ only in whitespace are considered equal.
 */
export type Members = Record<string, unknown>;

/**
 * Fields that contain documents defined by the client or the model. In documents from the client or the
 * model, null and empty objects have a meaning.
 */
const carriedWhole = new Set(['input', 'json', 'additionalModelResponseFields', 'trace']);
/** Fields in which an empty value means the same as an absent field. */
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
