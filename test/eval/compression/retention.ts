import type { Message } from './transcripts.ts';

export interface Retention {
  /** The number of values in the client's context that later tool calls use as arguments. */
  values: number;
  /** The number of argument values that the sent context contains, directly or through a reference. */
  inContext: number;
  /** The number of argument values in the sent context, or in text that a marker replaces. */
  recoverable: number;
}

/** The minimum length in characters of a counted value. Shorter values ("1", "no") would match by chance. */
const valueLengthMin = 3;
const numberLengthMin = 2;

/**
 * Counts the argument values that the agent could still read at the time of its tool calls.
 * @param before the messages that the client sent.
 * @param sent the messages that the gateway sent, with references resolved.
 * @param omitted the content that the gateway's markers replaced.
 */
export function measureRetention(
  message: Message,
  before: readonly string[],
  sent: readonly string[],
  omitted: readonly string[],
): Retention {
  const found = { values: 0, inContext: 0, recoverable: 0 };
  for (const value of valuesOf(message)) {
    if (!before.some((text) => text.includes(value))) continue;
    found.values += 1;
    if (sent.some((text) => text.includes(value))) found.inContext += 1;
    else if (!omitted.some((text) => text.includes(value))) continue;
    found.recoverable += 1;
  }
  return found;
}

/**
 * Returns the argument values in one turn's tool calls. For a tool call that is written as text, the values
 * are the words and lines of the command.
 */
function valuesOf({ content, tool_calls = [] }: Message): Set<string> {
  const values = new Set<string>();
  for (const call of tool_calls) collect(readArguments(call.function.arguments), values);
  if (tool_calls.length === 0)
    for (const command of commandsOf(content ?? '')) collectCommand(command, values);
  return values;
}

function readArguments(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function collect(value: unknown, values: Set<string>): void {
  if (typeof value === 'number' && String(value).length >= numberLengthMin) values.add(String(value));
  else if (typeof value === 'string' && value.length >= valueLengthMin) values.add(value);
  else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, values);
  }
}

/** Returns the fenced code blocks in a turn's text, and the content of an XML element at the end of the text. */
function commandsOf(text: string): string[] {
  const fenced = [...text.matchAll(/```[a-z]*\n([^]*?)```/g)].map((match) => match[1] ?? '');
  const tagged = /<([A-Za-z_][\w-]*)>([^]*)<\/\1>\s*$/.exec(text)?.[2];
  return tagged === undefined ? fenced : [...fenced, tagged];
}

function collectCommand(command: string, values: Set<string>): void {
  for (const line of command.split('\n')) {
    if (line.trim().length >= valueLengthMin) values.add(line.trim());
    for (const word of line.split(/[\s"'`()[\]{},;=<>|]+/)) {
      const isLong = /^\d+$/.test(word) ? word.length >= numberLengthMin : word.length >= valueLengthMin;
      if (isLong) values.add(word);
    }
  }
}
