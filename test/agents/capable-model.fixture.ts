/**
 * A scripted model that completes tasks as a capable model would. The model calls the tools in the request
 * directly. The model calls pruned tools through the recovery tool, and searches for deferred tools.
 */
import type { JsonObject } from '@gateway/interchange';
import type { ModelTurn } from '../e2e/scripted-model.fixture.ts';
import type { OfferedTool, Prompt, PromptItem } from './prompts.fixture.ts';

type Purpose = 'read' | 'write' | 'shell';
export type Step =
  | { readonly purpose: 'read'; readonly path: string }
  | { readonly purpose: 'write'; readonly path: string; readonly content: (seen: string) => string }
  | { readonly purpose: 'shell'; readonly command: string }
  /** A tool of an MCP server. Clients may add the server's name as a prefix to the tool's name. */
  | { readonly purpose: 'other'; readonly tool: string; readonly arguments: JsonObject };

export interface Task {
  /** The user's message, from which the scripted model recognizes the task. */
  readonly prompt: string;
  readonly steps: readonly Step[];
}

export interface CapableTurn extends ModelTurn {
  /** The name of the deferred tool that the provider's search finds before the model calls the tool. */
  readonly searched?: string;
}

/**
 * Names of published agents' tools, by purpose. A real model would recognize a tool's purpose by its
 * description.
 */
const toolNames: Readonly<Record<Purpose | 'edit', readonly string[]>> = {
  read: ['read', 'read_file', 'read_files', 'fileeditor'],
  write: ['write', 'write_file', 'write_to_file', 'editor', 'fileeditor'],
  shell: ['bash', 'shell', 'exec_command', 'run_shell_command', 'run_commands'],
  edit: ['edit', 'replace', 'apply_patch', 'editor', 'fileeditor', 'str_replace'],
};

/** Returns true for the agent's own shell, read, write and edit tools. */
export const isBasicTool = (name: string): boolean =>
  Object.values(toolNames).some((names) => names.includes(name.toLowerCase()));

const recoveryTool = /^svc_more_tools/;
/** The tools that Qwen Code's model uses to find and call deferred tools. */
const [searchTool, callTool] = ['tool_search', 'tool_call'];

/** Returns the model's next turn. */
export function chooseTurn(prompt: Prompt, tasks: readonly Task[]): CapableTurn {
  const found = findTask(prompt.items, tasks);
  // Agents also send requests without tools, for example to generate a title or a summary.
  if (found === undefined || prompt.tools.length === 0) return { text: 'A task with files' };
  const { task, since } = found;
  const results = since.flatMap((item) => (item.kind === 'result' ? [item.text] : []));
  const step = task.steps[countDone(since)];
  if (step === undefined) return { text: `The last output was: ${results.at(-1) ?? 'nothing'}` };
  const calls = prompt.items.filter(({ kind }) => kind === 'call').length;
  const { isSearched, ...call } = chooseCall(prompt, step, results);
  return {
    calls: [{ id: `call_${String(calls).padStart(8, '0')}`, ...call }],
    ...(isSearched === true ? { searched: call.name } : {}),
  };
}

/** Returns the conversation's newest task, and the items after the user message of that task. */
function findTask(
  items: readonly PromptItem[],
  tasks: readonly Task[],
): { task: Task; since: readonly PromptItem[] } | undefined {
  for (const [at, item] of [...items.entries()].reverse()) {
    if (item.kind !== 'user') continue;
    const task = tasks.findLast(({ prompt }) => item.text.includes(prompt));
    if (task !== undefined) return { task, since: items.slice(at + 1) };
  }
  return undefined;
}

/** Returns the number of steps that the model has finished. Requests for tool definitions are not steps. */
function countDone(since: readonly PromptItem[]): number {
  return since.filter((item) => item.kind === 'call' && !isDescription(item)).length;
}

export const isDescription = (item: PromptItem): boolean =>
  item.kind === 'call' &&
  (item.name === searchTool || (recoveryTool.test(item.name) && item.arguments.action !== 'call'));

interface Call {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly arguments: JsonObject;
  /** Whether the provider's search must find the tool before the call. */
  readonly isSearched?: boolean;
}

function chooseCall(prompt: Prompt, step: Step, results: readonly string[]): Call {
  const names = step.purpose === 'other' ? [step.tool] : toolNames[step.purpose];
  const offered = prompt.tools.find(({ name }) => isOneOf(name, names));
  if (offered !== undefined)
    return {
      ...{ name: offered.name, namespace: offered.namespace },
      arguments: writeArguments(offered, step, results),
      isSearched: offered.isDeferred === true && !prompt.loaded.includes(offered.name),
    };
  const hidden = callHidden(prompt, step, names, results) ?? callDeferred(prompt, step);
  if (hidden !== undefined) return hidden;
  const command = asCommand(step, results);
  if (command === undefined) throw new Error(`The model has no tool for ${JSON.stringify(step)}.`);
  return chooseCall(prompt, { purpose: 'shell', command }, results);
}

/** MCP clients prefix tool names with the server's name. */
const isOneOf = (name: string, names: readonly string[]): boolean =>
  names.includes(name.toLowerCase()) ||
  (names.length === 1 && names.some((one) => name.endsWith(`_${one}`) || name.endsWith(`.${one}`)));

/**
 * Returns a call to the recovery tool. The first call requests the pruned tool's definition, and the next
 * call runs the tool.
 */
function callHidden(
  { tools, items }: Prompt,
  step: Step,
  names: readonly string[],
  results: readonly string[],
): Call | undefined {
  const reaching = tools.find(({ name }) => recoveryTool.test(name));
  if (reaching === undefined) return undefined;
  const listed = `${reaching.description}, ${JSON.stringify(reaching.parameters)}`;
  const name = listed.split(/[^\w.-]+/).find((word) => isOneOf(word, names));
  if (name === undefined) return undefined;
  const isDescribed = items.some((item) => isDescription(item) && JSON.stringify(item).includes(name));
  if (!isDescribed) return { name: reaching.name, arguments: { action: 'describe', names: [name] } };
  const tool = { name, description: '', parameters: findDefinition(results, name) };
  return {
    name: reaching.name,
    arguments: { action: 'call', name, arguments: writeArguments(tool, step, results) },
  };
}

/** Returns a search for a tool that Qwen Code defers. After the search, returns a call to the deferred tool. */
function callDeferred({ tools, items }: Prompt, step: Step): Call | undefined {
  if (step.purpose !== 'other' || !tools.some(({ name }) => name === searchTool)) return undefined;
  const texts = items.flatMap((item) => (item.kind === 'call' ? [] : [item.text]));
  const name = new RegExp(`[\\w-]*_${step.tool}\\b`).exec(texts.join('\n'))?.[0];
  if (name === undefined) return undefined;
  const isFound = items.some((item) => isDescription(item) && JSON.stringify(item).includes(name));
  if (!isFound) return { name: searchTool, arguments: { query: `select:${name}` } };
  return { name: callTool, arguments: { name, arguments: step.arguments } };
}

/** Returns a tool's parameters from the recovery tool's description of the tool. */
function findDefinition(results: readonly string[], name: string): JsonObject {
  for (const text of results.toReversed()) {
    const line = text.split('\n').find((each) => each.startsWith(`{"name":"${name}"`));
    if (line !== undefined) return (JSON.parse(line) as { parameters?: JsonObject }).parameters ?? {};
  }
  return {};
}

/** Returns a shell command for a step, because some agents have no file tools. */
function asCommand(step: Step, results: readonly string[]): string | undefined {
  if (step.purpose === 'read') return `cat ${step.path}`;
  if (step.purpose === 'write') return `printf '%s' '${step.content(results.join('\n'))}' > ${step.path}`;
  return undefined;
}

/** Returns arguments for a tool call. A required parameter of unknown meaning gets a plausible value. */
function writeArguments({ parameters }: OfferedTool, step: Step, results: readonly string[]): JsonObject {
  if (step.purpose === 'other') return step.arguments;
  const properties = (parameters.properties ?? {}) as Record<string, JsonObject>;
  const required = (parameters.required ?? []) as readonly string[];
  const given = Object.entries(properties).flatMap(([name, schema]) => {
    const known = knownValue(name, schema, step, results);
    if (known !== undefined)
      return [[name, schema.type === 'array' ? [listed(known, schema)] : known] as const];
    return required.includes(name) ? [[name, plausibleValue(schema)] as const] : [];
  });
  return Object.fromEntries(given);
}

/** Returns an element of a list parameter, such as a list of files. */
function listed(value: string, { items }: JsonObject): unknown {
  return (items as JsonObject | undefined)?.type === 'object' ? { path: value } : value;
}

function knownValue(
  name: string,
  { enum: values }: JsonObject,
  step: Step,
  results: readonly string[],
): string | undefined {
  // A parameter that lists "view" as a value selects the operation of a file-editing tool.
  if (Array.isArray(values) && values.includes('view')) return step.purpose === 'read' ? 'view' : 'create';
  if (step.purpose === 'shell') return /^(command|commands|cmd)$/.test(name) ? step.command : undefined;
  if (step.purpose === 'other') return undefined;
  if (/^(absolute_)?(file_?)?path$|^files?$|filePath/i.test(name)) return step.path;
  const isContent = step.purpose === 'write' && /^(?!old).*(content|text)/i.test(name);
  return isContent ? step.content(results.join('\n')) : undefined;
}

function plausibleValue({ type, enum: values, minimum }: JsonObject): unknown {
  if (Array.isArray(values)) return values[0] as unknown;
  if (type === 'boolean') return false;
  if (type === 'number' || type === 'integer') return minimum ?? 1;
  return type === 'array' ? [] : 'Work on the task';
}
