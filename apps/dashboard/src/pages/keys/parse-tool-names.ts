/** Names of tools, one a line: each once, in their order. Null, which clears a list, for none. */
export function parseToolNames(text: string): string[] | null {
  const names = text.split('\n').flatMap((line) => line.trim() || []);
  return names.length === 0 ? null : [...new Set(names)];
}

/** A list as it is typed in: one name a line. */
export function renderToolNames(names: readonly string[] | null): string {
  return (names ?? []).join('\n');
}

/** The list that a text means. One that was left alone stays as it is: an empty one allows nothing, where none allows all. */
export function changeToolNames(before: string[] | null, text: string): string[] | null {
  return text === renderToolNames(before) ? before : parseToolNames(text);
}
