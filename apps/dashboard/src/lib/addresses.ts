/**
 * The address of a session's page. Session ids and tool names come from clients, and may contain slashes and
 * dots. Session ids and tool names are sent in the query, because slashes and dots would change the meaning
 * of a path.
 */
export const sessionAddress = (sessionId: string): string =>
  `/sessions/one?${new URLSearchParams({ id: sessionId }).toString()}`;

/** The address of a tool's page. */
export const toolAddress = (name: string): string =>
  `/tool-health/one?${new URLSearchParams({ name }).toString()}`;

/** A copy of the query string with one parameter changed. Null or an empty value removes the parameter. */
export function changeParam(params: URLSearchParams, name: string, value: string | null): URLSearchParams {
  const changed = new URLSearchParams(params);
  if (value === null || value === '') changed.delete(name);
  else changed.set(name, value);
  return changed;
}

/** A copy of the query string without the given parameters. */
export function clearParams(params: URLSearchParams, names: readonly string[]): URLSearchParams {
  return names.reduce((left, name) => changeParam(left, name, null), params);
}
