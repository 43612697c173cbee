import { createHash } from 'node:crypto';
import type { ToolDefinition } from '@gateway/contracts';
import { tokensOf } from '../compression/token-table.ts';
import type { EvalList, EvalSession } from './eval-session.ts';

/** Tools from real servers. Half of the tools added to a tool list come from real servers. */
const realServers = ['github_mcp', 'mongodb_mcp'];

/**
 * Combines the session's own tools with added tools, up to `size` tools in total. Half of the added tools
 * come from real servers, and half from any data set. A hash of the session and the tool determines the added
 * tools and their order, so the lists are the same in every run.
 */
export function makeList(
  session: Pick<EvalSession, 'id' | 'tools'>,
  size: number,
  tools: ReadonlyMap<string, ToolDefinition>,
): EvalList {
  const taken = new Set(session.tools.map(({ name }) => name));
  const chosen = [...session.tools];
  const fill = (ids: readonly string[], upTo: number): void => {
    for (const id of ids) {
      const tool = tools.get(id);
      if (chosen.length >= upTo) return;
      if (tool === undefined || taken.has(tool.name)) continue;
      taken.add(tool.name);
      chosen.push(tool);
    }
  };
  const drawn = sortByHash([...tools.keys()], session.id);
  const isReal = (id: string): boolean => realServers.some((server) => id.startsWith(server));
  fill(drawn.filter(isReal), chosen.length + Math.floor((size - chosen.length) / 2));
  fill(drawn, size);
  const byHash = new Map(chosen.map((tool) => [tool.hash, tool]));
  const listed = sortByHash([...byHash.keys()], `order ${session.id}`).flatMap(
    (hash) => byHash.get(hash) ?? [],
  );
  return { tools: listed, tokens: listed.map(tokensOfTool), headTokens: listed.map(tokensOfHead) };
}

function sortByHash(ids: readonly string[], seed: string): string[] {
  return ids
    .map((id) => ({ id, key: createHash('md5').update(`${seed}\n${id}`).digest('hex') }))
    .sort((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ id }) => id);
}

function tokensOfHead({ name, description }: ToolDefinition): number {
  return tokensOf(JSON.stringify({ type: 'function', name, description }));
}

function tokensOfTool({ name, description, parameters }: ToolDefinition): number {
  return tokensOf(JSON.stringify({ type: 'function', function: { name, description, parameters } }));
}
