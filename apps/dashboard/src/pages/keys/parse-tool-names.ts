/** Names of tools, one a line: each once, in their order. Null, which clears a list, for none. */
export function parseToolNames(text: string): string[] | null {
  const names = text.split('\n').flatMap((line) => line.trim() || []);
  return names.length === 0 ? null : [...new Set(names)];
}
