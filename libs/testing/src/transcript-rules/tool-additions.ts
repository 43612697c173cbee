/** The name of Anthropic's beta that permits `tool_addition` blocks with references. */
export const toolChangesBeta = 'mid-conversation-tool-changes-2026-07-01';

type Json = Readonly<Record<string, unknown>>;
const asJson = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.map(asJson) : []);

/** Returns the names of the deferred tools that a message loads with `tool_addition` blocks. */
export function listAdditions(message: unknown): string[] {
  return listOf(asJson(message)['content']).flatMap(({ type, tool }) =>
    type === 'tool_addition' ? [String(asJson(tool)['name'])] : [],
  );
}

/**
 * Returns the provider's error for a messages request that breaks a rule about `tool_addition`, or undefined.
 * A system message with `tool_addition` blocks follows a user message, and is either the last message or
 * precedes a model message. Each reference names a deferred tool in the request, and each tool is loaded only
 * once. The rules come from Anthropic ("Mid-conversation system messages").
 * @param betas the value of the request's `anthropic-beta` header
 */
export function findAdditionDefect(body: unknown, betas: string): string | undefined {
  const messages = listOf(asJson(body)['messages']);
  const deferred = new Set(
    listOf(asJson(body)['tools']).flatMap((tool) => (tool['defer_loading'] === true ? [tool['name']] : [])),
  );
  const loaded = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const names = listAdditions(message);
    if (names.length === 0) continue;
    const where = `messages.${at}`;
    if (!betas.split(',').some((beta) => beta.trim() === toolChangesBeta))
      return `${where}.content.0: Input tag 'tool_addition' found using 'type' does not match any of the expected tags`;
    const next = messages[at + 1]?.['role'];
    const isInPlace = messages[at - 1]?.['role'] === 'user' && (next === undefined || next === 'assistant');
    if (message['role'] !== 'system' || !isInPlace)
      return `${where}: a system message must follow a user message and precede an assistant message`;
    const wrong = names.find((name) => !deferred.has(name) || loaded.has(name));
    if (wrong !== undefined) return `${where}: tool_reference_unresolved: ${wrong}`;
    for (const name of names) loaded.add(name);
  }
  return undefined;
}
