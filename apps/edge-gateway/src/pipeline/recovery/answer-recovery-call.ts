import type { ChatMessage, ToolDescription } from '@gateway/interchange';
import type { RecoveryCall } from './round-reducer.ts';
import type { Recovery } from './recovery.ts';

/** The response to a recovery tool call, and the tools that the response contains. */
export interface RecoveryAnswer {
  readonly callId: string;
  readonly text: string;
  /** The tools that the response to the recovery tool call defines. */
  readonly shown: readonly string[];
  /** Tools in the reply that the model has requested by name. */
  readonly requested: readonly string[];
}

/**
 * Maximum number of tools in the response to one recovery tool call. The model can request more tools with
 * another call.
 */
const namesMax = 8;
const foundMax = 5;
/**
 * Maximum number of characters of tool definitions in one response. A single definition may exceed the maximum,
 * because a request without pruning would contain the definition too.
 */
const definitionCharactersMax = 128_000;

/**
 * Answers a recovery tool call, which is hidden from the client. If `intoList` is true, the reply omits the
 * definitions of the shown tools, because the tool list of the next request includes them. The function never
 * throws. If a requested tool is unavailable, the response names the tool.
 */
export async function answerRecoveryCall(
  recovery: Recovery,
  { id, verdict }: RecoveryCall,
  intoList: boolean,
  signal: AbortSignal,
): Promise<RecoveryAnswer> {
  switch (verdict.kind) {
    case 'describe':
      return { callId: id, ...(await describe(recovery, verdict, intoList)) };
    case 'correct': {
      const problem = `The arguments of "${verdict.name}" do not fit: ${verdict.problems.join('; ')}.`;
      const shown = showTools(recovery, [verdict.name], intoList);
      return { callId: id, text: `${problem}\n${shown.text}`, shown: shown.names, requested: shown.names };
    }
    case 'original':
      return { callId: id, text: await recall(recovery, verdict.id, signal), shown: [], requested: [] };
    case 'refuse':
      return { callId: id, text: verdict.text, shown: [], requested: [] };
  }
}

async function describe(
  recovery: Recovery,
  { names, need }: { names: readonly string[]; need: string | null },
  intoList: boolean,
): Promise<Omit<RecoveryAnswer, 'callId'>> {
  const named = [...new Set(names)];
  const requested = named.filter((name) => recovery.statusOf(name) === 'pruned').slice(0, namesMax);
  const found = need === null ? [] : (await recovery.find(need)).slice(0, foundMax);
  const shown = showTools(recovery, [...new Set([...requested, ...found])], intoList);
  const others = named.filter((name) => !shown.names.includes(name)).slice(0, namesMax);
  const lines = [shown.text, ...others.map((name) => describeOther(recovery, name))].filter(
    (line) => line !== '',
  );
  const text = lines.length === 0 ? 'No tool fits that.' : lines.join('\n');
  return { text, shown: shown.names, requested: requested.filter((name) => shown.names.includes(name)) };
}

function describeOther(recovery: Recovery, name: string): string {
  const standing = recovery.statusOf(name);
  if (standing === 'forwarded') return `"${name}" is in the list: call it by its name.`;
  return standing === 'pruned' ? `Ask for "${name}" again.` : `There is no tool "${name.slice(0, 200)}".`;
}

function showTools(
  recovery: Recovery,
  names: readonly string[],
  intoList: boolean,
): { text: string; names: readonly string[] } {
  if (names.length === 0) return { text: '', names };
  if (intoList) return { text: `In the list now: ${names.join(', ')}. Call by name.`, names };
  const lines: string[] = [];
  const shown: string[] = [];
  let characters = 0;
  for (const definition of recovery.describe(names)) {
    const line = renderDefinition(definition);
    characters += line.length;
    if (shown.length > 0 && characters > definitionCharactersMax) break;
    lines.push(line);
    shown.push(definition.name ?? '');
  }
  return { text: [...lines, howToCall].join('\n'), names: shown };
}

/**
 * Renders a tool call and its result for the tools that the model requested in its last response. The rendered call
 * depends only on the requested tools.
 */
export function renderRequestedTools(
  standInName: string,
  definitions: readonly ToolDescription[],
): ChatMessage[] {
  const names = definitions.map(({ name }) => name);
  const id = 'svc_asked_before';
  const text = [...definitions.map(renderDefinition), howToCall].join('\n');
  return [
    {
      role: 'assistant',
      parts: [
        {
          type: 'tool-call',
          id,
          name: standInName,
          kind: 'function',
          argumentsText: JSON.stringify({ action: 'describe', names }),
        },
      ],
    },
    { role: 'tool', parts: [{ type: 'tool-result', callId: id, parts: [{ type: 'text', text }] }] },
  ];
}

const howToCall = 'Call with {"action":"call","name":"…","arguments":{…}}.';

function renderDefinition({ name, description, parameters }: ToolDescription): string {
  return JSON.stringify({ name, description, parameters });
}

async function recall(recovery: Recovery, id: string, signal: AbortSignal): Promise<string> {
  try {
    const original = await recovery.recall?.(id, signal);
    return original ?? 'Nothing is kept under that id.';
  } catch {
    return 'It can not be brought back now.';
  }
}
