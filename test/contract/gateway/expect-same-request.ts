import { asMembers } from './answer-reading.ts';
import type { TargetFormat } from './canned-answers.ts';
import type { RequestReading, TurnReading } from './request-reading.ts';

/**
 * Compares two requests by meaning, except for the reported losses. Ignores settings that the gateway reported as
 * losses. If messages have losses, the target request must still contain all text, and no other content.
 */
export function expectSameRequest(
  heard: RequestReading,
  said: RequestReading,
  losses: readonly string[],
  target: TargetFormat,
): void {
  const narrowed = narrowTools(said, target, losses);
  const asked = target === 'cohere' ? moveDocuments(narrowed, heard) : narrowed;
  const isLost = (name: string): boolean =>
    losses.some((field) => field === name || field.startsWith(`${name}[`)) ||
    // Without tools, the setting for parallel tool calls has no effect.
    (name === 'parallel_tool_calls' && heard.tools.length === 0);
  // A format without thinking levels can only switch thinking on.
  const isVague = isLost('reasoning_effort') && typeof asked.settings['thinking'] !== 'number';
  const settings = Object.keys(asked.settings).filter(
    (name) => !isLost(name) && !(name === 'thinking' && isVague),
  );
  const pick = (reading: RequestReading) =>
    Object.fromEntries(settings.map((name) => [name, reading.settings[name]]));
  expect(withDefaults(pick(heard), pick(asked), target)).toEqual(pick(asked));
  if (!isLost('tools')) expect(heard.tools).toEqual(asked.tools);
  if (!isLost('messages')) {
    expect(heard.system).toEqual(asked.system);
    expect(heard.turns).toEqual(asked.turns);
  } else expectSome(heard.turns, asked.turns);
}

/** Cohere's format has text documents outside the conversation, so the test compares only their number. */
function moveDocuments(asked: RequestReading, { documents }: RequestReading): RequestReading {
  const isDocument = (item: string): boolean => item.startsWith('{"document"');
  const found = asked.turns.flatMap(({ items }) => items).filter(isDocument).length;
  expect(documents).toBeLessThanOrEqual(found);
  if (documents < found) return asked;
  const turns = asked.turns.map((turn) => ({
    ...turn,
    items: turn.items.filter((item) => !isDocument(item)),
  }));
  return { ...asked, turns };
}

/** If a format cannot express the client's tool choice, the gateway sends only the required tool, or no tools. */
function narrowTools(asked: RequestReading, target: TargetFormat, losses: readonly string[]): RequestReading {
  const choice = asMembers(asked.settings['tool_choice']);
  // After earlier tool calls, Converse requires the tool definitions and cannot forbid tool calls.
  if (target === 'converse' && choice.mode === 'none' && !losses.includes('tool_choice'))
    return { ...asked, tools: [], settings: { ...asked.settings, tool_choice: undefined } };
  if (target !== 'cohere' || choice.mode !== 'tool') return asked;
  const tools = asked.tools.filter((tool) => asMembers(tool).name === choice.name);
  return { ...asked, tools, settings: { ...asked.settings, tool_choice: { mode: 'required' } } };
}

/** Removes the default value of a field that the target format requires but the client omitted. */
function withDefaults(
  heard: Record<string, unknown>,
  asked: Record<string, unknown>,
  target: TargetFormat,
): Record<string, unknown> {
  const isDefaulted = target === 'messages' && asked['max_tokens'] === undefined;
  if (isDefaulted) expect(heard['max_tokens']).toBeGreaterThan(0);
  const nearest = target === 'messages' && asked['reasoning_effort'] === 'minimal';
  return {
    ...heard,
    ...(isDefaulted ? { max_tokens: undefined } : {}),
    // `low` is the lowest thinking level in the messages format.
    ...(nearest && heard['reasoning_effort'] === 'low' ? { reasoning_effort: 'minimal' } : {}),
  };
}

/**
 * Checks that no text was lost and no content was added. If a loss leaves a turn empty, the gateway merges
 * the neighbouring turns.
 */
function expectSome(heard: readonly TurnReading[], asked: readonly TurnReading[]): void {
  const textOf = (turns: readonly TurnReading[], speaker: string): string =>
    turns.flatMap(({ role, text }) => (role === speaker ? [text] : [])).join('');
  for (const speaker of ['user', 'assistant']) expect(textOf(heard, speaker)).toBe(textOf(asked, speaker));
  const said = new Set(asked.flatMap(({ role, items }) => items.map((item) => `${role} ${item}`)));
  const made = heard.flatMap(({ role, items }) => items.map((item) => `${role} ${item}`));
  expect(made.filter((item) => !said.has(item))).toEqual([]);
}
