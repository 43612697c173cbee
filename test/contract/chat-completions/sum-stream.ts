/**
 * Builds a non-streaming response from the text of a stream, like the official clients do. This module shares
 * no code with the code under test.
 */
type Members = Record<string, unknown>;

export interface StreamSum {
  readonly body: Members;
  readonly isEnded: boolean;
  readonly errors: readonly unknown[];
}

export function sumStream(text: string): StreamSum {
  const data = text
    .split(/\r?\n\r?\n/)
    .map((block) => block.split(/\r?\n/).filter((line) => line.startsWith('data:')))
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => line.slice(5).trimStart()).join('\n'));
  const chunks = data.filter((item) => item.trim() !== '[DONE]').map((item) => JSON.parse(item) as Members);
  const body: Members = {};
  const choices = new Map<number, Members>();
  for (const chunk of chunks) {
    for (const [name, value] of Object.entries(chunk)) {
      if (name !== 'choices' && name !== 'error' && value !== null && !(isEnvelope(name) && body[name]))
        body[name] = value;
    }
    for (const choice of (chunk.choices ?? []) as Members[]) addChoice(choices, choice);
  }
  body.choices = [...choices.values()];
  return {
    body,
    isEnded: data.some((item) => item.trim() === '[DONE]'),
    errors: chunks.flatMap((chunk) => (chunk.error ? [chunk.error] : [])),
  };
}

/**
 * Returns true for a field that every chunk repeats. For a repeated field, the merged chunk contains the
 * first non-empty value.
 */
function isEnvelope(name: string): boolean {
  return name === 'id' || name === 'model' || name === 'created';
}

function addChoice(choices: Map<number, Members>, piece: Members): void {
  const index = Number(piece.index ?? 0);
  const choice = choices.get(index) ?? { index, message: {} };
  choices.set(index, choice);
  const { delta, finish_reason: reason, ...rest } = piece;
  if (typeof reason === 'string') choice.finish_reason ??= reason;
  addMembers(choice, rest);
  addDelta(choice.message as Members, (delta ?? {}) as Members);
}

function addDelta(message: Members, delta: Members): void {
  const { content, tool_calls: calls, ...rest } = delta;
  for (const name of ['reasoning_content', 'reasoning', 'refusal']) {
    const text = rest[name];
    Reflect.deleteProperty(rest, name);
    if (typeof text === 'string' && text !== '') message[name] = `${asText(message[name])}${text}`;
  }
  addContent(message, content);
  for (const call of (calls ?? []) as Members[]) addToolCall(message, call);
  addMembers(message, rest);
}

/**
 * Adds a chunk's content to the message. Mistral can send a list of content parts instead of a string. If the
 * message already contains a list, strings are appended to the list as text parts.
 */
function addContent(message: Members, content: unknown): void {
  const before = message.content;
  if (Array.isArray(content) || (Array.isArray(before) && asText(content) !== '')) {
    const added = Array.isArray(content) ? (content as Members[]) : [{ type: 'text', text: content }];
    message.content = addParts((before ?? []) as Members[], added);
  } else if (asText(content) !== '') {
    message.content = `${asText(before)}${asText(content)}`;
  }
}

/** Appends Mistral content parts. A part is merged into the previous part if both have the same type. */
function addParts(parts: Members[], added: Members[]): Members[] {
  const all = [...parts];
  for (const part of added) {
    const last = all.at(-1);
    if (last?.type !== part.type) all.push(structuredClone(part));
    else if (part.type === 'text') last!.text = `${asText(last!.text)}${asText(part.text)}`;
    else (last!.thinking as Members[])[0]!.text = `${thought(last!)}${thought(part)}`;
  }
  return all;
}

function thought(part: Members): string {
  return (part.thinking as Members[]).map((inner) => asText(inner.text)).join('');
}

function addToolCall(message: Members, piece: Members): void {
  const calls = (message.tool_calls ??= []) as Members[];
  const index = piece.index ?? (piece.id ? calls.length : calls.length - 1);
  let call = calls.find((candidate) => candidate.index === index && (!piece.id || candidate.id === piece.id));
  if (call === undefined) {
    call = { index, type: 'function', function: { arguments: '' } };
    calls.push(call);
  }
  const into = call.function as Members;
  const from = (piece.function ?? {}) as Members;
  call.id ??= piece.id ?? undefined;
  if (from.name) into.name ??= from.name;
  into.arguments = `${asText(into.arguments)}${asText(from.arguments)}`;
}

function addMembers(target: Members, added: Members): void {
  for (const [name, value] of Object.entries(added)) {
    const before = target[name];
    if (value === null) continue;
    if (Array.isArray(before) && Array.isArray(value))
      target[name] = [...(before as unknown[]), ...(value as unknown[])];
    else if (isMembers(before) && isMembers(value)) addMembers(before, value);
    else target[name] = structuredClone(value);
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
