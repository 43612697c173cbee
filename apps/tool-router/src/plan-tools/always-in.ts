import type { PlanToolsRequest } from '@gateway/contracts';
import type { ToolCandidate } from '@gateway/interchange';
import type { KeywordIndex } from '../tool-index/keyword-index.ts';
import type { ToolSet } from './tool-set.ts';

export type AlwaysInReason = NonNullable<ToolCandidate['alwaysIn']>;

/**
 * Positions of the tools that are forwarded regardless of their score, each with a reason. A reason that
 * comes from the tool list takes precedence over a reason that comes from the transcript.
 */
export function findAlwaysIn(
  request: PlanToolsRequest,
  index: KeywordIndex,
  mentioned: ReadonlySet<number>,
): Map<number, AlwaysInReason> {
  const alwaysIn = findPinned(request, index);
  const add = (position: number, because: AlwaysInReason): void => {
    if (!alwaysIn.has(position)) alwaysIn.set(position, because);
  };
  const addByName = (name: string, because: AlwaysInReason): void => {
    for (const position of index.positionsByName.get(name) ?? []) add(position, because);
  };
  for (const name of request.forcedTools) addByName(name, 'tool_choice');
  for (const name of request.calledTools) addByName(name, 'called');
  for (const position of mentioned) add(position, 'mentioned');
  return alwaysIn;
}

/**
 * Positions of the tools that do not count toward K (the number of ranked tools). Built-in tools, tools with a cache
 * marker, core tools, and tools that the instructions name do not count toward K.
 */
export function findPinned(
  { pinned: listed, systemTools }: Pick<PlanToolsRequest, 'pinned' | 'systemTools'>,
  index: KeywordIndex,
): Map<number, AlwaysInReason> {
  const pinned = new Map<number, AlwaysInReason>();
  const add = (position: number, because: AlwaysInReason): void => {
    if (position < index.names.length && !pinned.has(position)) pinned.set(position, because);
  };
  for (const { position, because } of listed) add(position, because);
  index.names.forEach((name, position) => {
    if (name === null) add(position, 'built_in');
  });
  // Gateways of the previous release do not send `systemTools`, and do not accept the reason `core`.
  for (const position of findCoreTools(index))
    add(position, systemTools === undefined ? 'mentioned' : 'core');
  for (const position of systemTools ?? []) add(position, 'system_prompt');
  return pinned;
}

/**
 * The names of the basic tools in published coding agents, by purpose. Names are compared without case and
 * separators. Agents use basic tools in every loop, although users rarely ask for basic tools explicitly.
 */
const coreNames: Readonly<Record<'shell' | 'read' | 'write' | 'edit', ReadonlySet<string>>> = {
  shell: new Set(
    'bash shell exec execcommand executebash executecommand localshell powershell runcommand runcommands runinterminal runshellcommand runterminalcmd runterminalcommand shellcommand terminal'.split(
      ' ',
    ),
  ),
  read: new Set('cat openfile read readfile readfiles readmanyfiles view viewfile'.split(' ')),
  write: new Set('createfile createnewfile write writefile writetofile'.split(' ')),
  edit: new Set(
    'applydiff applypatch edit editexistingfile editfile editor fileeditor multiedit patch replace replaceinfile searchandreplace searchreplace singlefindandreplace strreplace strreplacebasededittool strreplaceeditor'.split(
      ' ',
    ),
  ),
};
/**
 * Tool names that belong to an MCP server for files or to an agent such as Qwen Code. Some clients list the server's
 * tools without the name of the server.
 */
const serverNames = new Set('createfile editfile openfile readfile writefile'.split(' '));
/** A coding agent's list contains basic tools for at least this number of different purposes. */
const purposesMin = 2;

/**
 * Words in the names of tools that find or call other tools (`search_tools`, `tool_call`, `describeTool`).
 */
const reachingVerbs = new Set(
  'activate call describe discover dispatch enable execute find get invoke list load run search select use'.split(
    ' ',
  ),
);
const reachingWords = new Set(
  'available by deferred definition definitions details info mcp more name schema schemas tool tools'.split(
    ' ',
  ),
);

/** Maximum number of core tools in a tool list. */
const coreToolsMax = 16;
const coreByIndex = new WeakMap<KeywordIndex, readonly number[]>();

/**
 * Positions of the core tools in a tool list, at most 16. Core tools are the client's tools for reaching
 * other tools, and the shell, read, write and edit tools of an agent. The search runs once per tool list.
 */
export function findCoreTools(index: KeywordIndex): readonly number[] {
  const known = coreByIndex.get(index);
  if (known !== undefined) return known;
  const names = [...index.names.entries()].flatMap(([position, name]) =>
    name === null ? [] : [{ position, name }],
  );
  const reaching = names.filter(({ name }) => reachesTools(name));
  const basic = withoutServerTools(
    names.flatMap(({ position, name }) => {
      const purpose = purposeOf(name);
      return purpose === undefined ? [] : [{ position, name, purpose }];
    }),
  );
  const isLoop = new Set(basic.map(({ purpose }) => purpose)).size >= purposesMin;
  const found = [...reaching, ...(isLoop ? basic : [])].slice(0, coreToolsMax);
  const positions = found.map(({ position }) => position);
  coreByIndex.set(index, positions);
  return positions;
}

interface BasicTool {
  readonly position: number;
  readonly name: string;
  readonly purpose: string;
}

/**
 * Removes the tools that probably belong to an MCP server (`serverNames`). A tool is kept if its name has the
 * same spelling style as the agent's shell tool, or if the agent has no other tool for the purpose. If there is
 * no shell tool and all names are in `serverNames`, all tools are removed.
 */
function withoutServerTools(basic: readonly BasicTool[]): readonly BasicTool[] {
  const isServers = ({ name }: BasicTool): boolean => serverNames.has(bareName(name));
  const shell = basic.find(({ purpose }) => purpose === 'shell');
  if (shell === undefined && basic.every(isServers)) return [];
  const covered = new Set(basic.filter((tool) => !isServers(tool)).map(({ purpose }) => purpose));
  const style = shell === undefined ? undefined : styleOf(shell.name);
  return basic.filter(
    (tool) => !isServers(tool) || !covered.has(tool.purpose) || styleOf(tool.name) === style,
  );
}

/** The spelling of a name. A name can contain separators, capital letters, or neither. */
function styleOf(name: string): 'separated' | 'capital' | 'plain' {
  if (/[^\p{L}\p{N}]/u.test(name)) return 'separated';
  return /\p{Lu}/u.test(name) ? 'capital' : 'plain';
}

const bareName = (name: string): string => name.replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();

function purposeOf(name: string): string | undefined {
  const bare = bareName(name);
  return Object.entries(coreNames).find(([, names]) => names.has(bare))?.[0];
}

/**
 * Whether the purpose of a tool is to find or call other tools. The comparison ignores the prefix of an MCP
 * server.
 */
function reachesTools(name: string): boolean {
  const words = name
    .slice(name.lastIndexOf('__') + 1)
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
  return (
    words.some((word) => word === 'tool' || word === 'tools') &&
    words.some((word) => reachingVerbs.has(word)) &&
    words.every((word) => reachingVerbs.has(word) || reachingWords.has(word))
  );
}

/**
 * In `in_place` mode, the tools and the prefix never change. A pruned tool stays pruned even if the model
 * calls it, but recovery can still reach the tool.
 */
export function keepReachable(
  alwaysIn: Map<number, AlwaysInReason>,
  { positions, recovery }: ToolSet,
  mentioned: ReadonlySet<number>,
): Map<number, AlwaysInReason> {
  if (positions === undefined || !recovery.armed || recovery.way !== 'in_place') return alwaysIn;
  return new Map(
    [...alwaysIn].filter(
      ([position, because]) => because !== 'called' || positions.has(position) || mentioned.has(position),
    ),
  );
}
