/**
 * Normalizes request and response bodies in the Cohere format. After normalization, two bodies with the same
 * meaning are equal. A null field is treated as absent. `stream: false` is treated as an absent field.
 */
export type Members = Record<string, unknown>;

export function requestMeaning(body: Members): Members {
  const meaning = dropNulls(body) as Members;
  if (meaning.stream === false) delete meaning.stream;
  if (Array.isArray(meaning.documents) && meaning.documents.length === 0) delete meaning.documents;
  return meaning;
}

/**
 * Returns true for a body of Cohere's API version 1, which is not supported. Version 1 requests have a single
 * message and a history.
 */
export function isVersionOne(body: Members): boolean {
  return typeof body.message === 'string' || typeof body.text === 'string';
}

/** Normalizes a message. A tool call with an empty string as its arguments is treated as a tool call with `{}`. */
export function messageMeaning(message: Members): Members {
  const { content, tool_calls: calls, citations, ...rest } = dropNulls({ ...message, role: null }) as Members;
  const meant = ((calls ?? []) as { function: Members }[]).map((call) => ({
    ...call,
    function: {
      ...call.function,
      arguments: call.function.arguments === '' ? '{}' : call.function.arguments,
    },
  }));
  return { content: content ?? [], calls: meant, citations: citations ?? [], tool_plan: '', ...rest };
}

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, name === 'parameters' ? (member as unknown) : dropNulls(member)]),
  );
}
