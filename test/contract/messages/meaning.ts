/**
 * Normalizes request and response bodies in the messages format. After normalization, two bodies with the
 * same meaning are equal. The normalization shares no code with the code under test. A null field is treated
 * as absent. A string is treated as a list with one text block. Consecutive messages of the same role are
 * treated as one message, because Anthropic joins such messages. An empty list of tools or citations is
 * treated as absent. `stream: false` is treated as an absent field.
 */
export type Members = Record<string, unknown>;

/**
 * Fields that contain values set by the client or the model. In values that the client or the model defines,
 * null has a meaning.
 */
const carriedWhole = new Set(['input_schema', 'schema', 'input']);

export function requestMeaning(body: Members): Members {
  const meaning = dropNulls(body) as Members;
  if (meaning.stream === false) delete meaning.stream;
  if (Array.isArray(meaning.tools) && meaning.tools.length === 0) delete meaning.tools;
  if (meaning.system !== undefined) meaning.system = contentMeaning(meaning.system);
  meaning.messages = joinNeighbours(meaning.messages as unknown[]);
  return meaning;
}

function joinNeighbours(messages: readonly unknown[]): unknown[] {
  const joined: unknown[] = [];
  for (const message of messages) {
    if (!isMembers(message)) {
      joined.push(message);
      continue;
    }
    const content = contentMeaning(message.content);
    const last = joined.at(-1);
    if (isMembers(last) && last.role === message.role) (last.content as unknown[]).push(...content);
    else joined.push({ ...message, content });
  }
  return joined;
}

function contentMeaning(content: unknown): unknown[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return ((content ?? []) as unknown[]).map(blockMeaning);
}

function blockMeaning(block: unknown): unknown {
  if (!isMembers(block)) return block;
  const meaning = { ...block };
  if (meaning.type === 'tool_result') meaning.content = contentMeaning(meaning.content);
  if (Array.isArray(meaning.citations) && meaning.citations.length === 0) delete meaning.citations;
  return meaning;
}

export function responseMeaning(body: Members): Members {
  const meaning = dropNulls(body) as Members;
  meaning.content = contentMeaning(meaning.content);
  return meaning;
}

function dropNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(dropNulls);
  if (!isMembers(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([name, member]) => [name, carriedWhole.has(name) ? member : dropNulls(member)]),
  );
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
