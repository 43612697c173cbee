/**
 * Normalizes request and response bodies in the chat-completions format. After normalization, two bodies with
 * the same meaning are equal. The normalization shares no code with the code under test. A null field is
 * treated as absent. An absent list of tool calls is treated as an empty list. An empty refusal is treated as
 * absent. A single stop word is treated as a list with one stop word. `stream: false` is treated as an absent
 * field. A tool without a type is treated as a function tool.
 */
type Members = Record<string, unknown>;

/** JSON Schemas stay unchanged, because null has a meaning in a schema. */
const carriedWhole = new Set(['parameters', 'schema']);

export function requestMeaning(body: Members): Members {
  const meaning = dropNulls(body) as Members;
  if (meaning.stream === false) delete meaning.stream;
  if (typeof meaning.stop === 'string') meaning.stop = [meaning.stop];
  const options = meaning.stream_options as Members | undefined;
  if (options?.include_usage === false) delete options.include_usage;
  if (options !== undefined && Object.keys(options).length === 0) delete meaning.stream_options;
  const tools = (meaning.tools ?? []) as Members[];
  delete meaning.tools;
  if (tools.length > 0) meaning.tools = tools.map((tool) => ({ type: 'function', ...tool }));
  meaning.messages = (meaning.messages as Members[]).map(messageMeaning);
  return meaning;
}

/**
 * Normalizes a response body. `defaulted` lists the fields that the renderer must add because the original
 * response lacks them.
 */
export function responseMeaning(body: Members, defaulted: readonly string[] = []): Members {
  const meaning = dropNulls(body) as Members;
  for (const name of ['object', ...defaulted]) Reflect.deleteProperty(meaning, name);
  const choices = ((meaning.choices ?? []) as Members[]).map((choice): Members => {
    return { ...choice, message: messageMeaning((choice.message ?? {}) as Members) };
  });
  meaning.choices = choices.sort((one, other) => Number(one.index) - Number(other.index));
  return meaning;
}

export function messageMeaning(message: Members): Members {
  const meaning: Members = { role: 'assistant', ...message };
  for (const name of ['refusal', 'reasoning', 'reasoning_content']) {
    if (meaning[name] === '') Reflect.deleteProperty(meaning, name);
  }
  const calls = (meaning.tool_calls ?? []) as Members[];
  delete meaning.tool_calls;
  if (calls.length > 0) meaning.tool_calls = calls.map(toolCallMeaning);
  return meaning;
}

function toolCallMeaning(call: Members): Members {
  const meaning: Members = { type: 'function', ...call };
  if (meaning.type === 'function') meaning.function = { arguments: '', ...(call.function as Members) };
  return meaning;
}

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, carriedWhole.has(name) ? (member as unknown) : dropNulls(member)]),
  );
}
