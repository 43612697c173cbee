import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { ToolDefinition } from '@gateway/contracts';
import type { MessageOutline } from '@gateway/interchange';
import { conversationContext } from '../../apps/edge-gateway/src/pipeline/stages/plan/conversation/router-question.ts';
import { makeToolCard, type ToolCard } from '../../apps/tool-router/src/tool-index/tool-card.ts';

export const poolSizes = ['25', '100', '500'] as const;
export type PoolSize = (typeof poolSizes)[number];
/**
 * The names of the candidate pools. A name that is a number gives the size of a seeded sample of tools. The
 * name `own` stands for a question's original candidates.
 */
export const poolNames = [...poolSizes, 'own'] as const;
export type PoolName = (typeof poolNames)[number];

interface ToolLine {
  readonly dataset: string;
  readonly tool_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly parameters: unknown;
}

interface Message {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly name?: string;
    readonly function?: { readonly name?: string };
  }[];
}

interface QueryLine {
  readonly dataset: string;
  readonly query_id: string;
  readonly query: string;
  readonly messages: readonly Message[];
  readonly candidate_tool_ids: readonly string[] | null;
  readonly gold_tool_ids: readonly string[];
  readonly meta?: {
    readonly gold_alternatives?: Record<string, readonly string[]>;
    readonly main_gold?: string;
  };
}

type PoolLine = { readonly query_id: string } & Record<`p${PoolSize}`, readonly number[] | undefined>;

/**
 * A question and the tools that answer it. For each needed tool, any one of its alternatives is sufficient.
 * Tools are identified by their line numbers in the tools file.
 */
export interface Question {
  readonly dataset: string;
  /**
   * The transcript as an edge sends it to the tool router (`conversationContext`). The transcript contains
   * the names of the called tools, and the user's turns up to the question. The transcript also contains the
   * tool results since the last user turn.
   */
  readonly userTurns: readonly string[];
  readonly calledTools: readonly string[];
  readonly recentResults: readonly string[];
  readonly golds: readonly (readonly number[])[];
  /**
   * The needed tool that the question itself requests, if the data set specifies one. The question does not
   * mention the needed tools that are only prerequisites.
   */
  readonly mainGold: readonly number[] | undefined;
  readonly pools: Readonly<Record<PoolName, readonly number[] | undefined>>;
}

export interface ToolData {
  readonly definitions: readonly ToolDefinition[];
  readonly cards: readonly ToolCard[];
  readonly texts: readonly string[];
  readonly questions: readonly Question[];
}

/**
 * Reads the data sets in a folder's files tools.jsonl, queries.jsonl and pools.jsonl.gz. Skips questions that
 * require no tool.
 */
export function loadToolData(directory: string): ToolData {
  const tools = parseLines<ToolLine>(readFileSync(join(directory, 'tools.jsonl'), 'utf8'));
  const queries = parseLines<QueryLine>(readFileSync(join(directory, 'queries.jsonl'), 'utf8'));
  const pools = parseLines<PoolLine>(
    gunzipSync(readFileSync(join(directory, 'pools.jsonl.gz'))).toString('utf8'),
  );
  const lines = new Map(tools.map(({ tool_id }, line) => [tool_id, line]));
  const byId = new Map(queries.map((query) => [query.query_id, query]));
  const questions = pools.flatMap((pool) => {
    const query = byId.get(pool.query_id);
    return query === undefined || query.gold_tool_ids.length === 0 ? [] : [readQuestion(query, pool, lines)];
  });
  const texts = tools.map(({ name, description }) => `${name} ${description ?? ''}`);
  const definitions = tools.map(readDefinition);
  return { definitions, cards: definitions.map(makeToolCard), texts, questions };
}

function parseLines<Line>(text: string): Line[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

function readDefinition({ tool_id, name, description, parameters }: ToolLine): ToolDefinition {
  const hash = createHash('sha256').update(tool_id).digest('hex');
  return { hash, name, description: description ?? '', parameters, examples: [] };
}

function readQuestion(query: QueryLine, pool: PoolLine, lines: ReadonlyMap<string, number>): Question {
  const lineOf = (id: string): number[] => {
    const line = lines.get(id);
    return line === undefined ? [] : [line];
  };
  const { gold_alternatives: alternatives = {}, main_gold: main } = query.meta ?? {};
  return {
    dataset: query.dataset,
    ...conversationContext(outlineMessages(query)),
    golds: query.gold_tool_ids.map((id) => [id, ...(alternatives[id] ?? [])].flatMap(lineOf)),
    mainGold: main === undefined ? undefined : lineOf(main),
    pools: { 25: pool.p25, 100: pool.p100, 500: pool.p500, own: readOwnPool(query, lines) },
  };
}

/** Returns the transcript as an edge reads it. The question is the last user turn of the transcript. */
function outlineMessages({ query, messages }: QueryLine): MessageOutline[] {
  const outlines = messages.flatMap((message, at) => {
    const { role, tool_calls: calls = [] } = message;
    if (!isRole(role)) return [];
    const names = calls.flatMap(({ name, function: called }) => name ?? called?.name ?? []);
    const isOpen = names.length > 0 && messages[at + 1]?.role !== 'tool';
    const outline = outlineMessage(role, readText(message.content), names);
    // Adds a result to each tool call without a result. Some data sets have no tool results.
    // Providers reject a tool call without a result.
    return isOpen ? [outline, outlineMessage('tool', '', [])] : [outline];
  });
  const asked = query.trim();
  const last = outlines.findLast(({ role }) => role === 'user');
  const isLast = last !== undefined && (asked === '' || last.text().trim() === asked);
  return isLast ? outlines : [...outlines, outlineMessage('user', query, [])];
}

function isRole(role: string): role is MessageOutline['role'] {
  return ['system', 'user', 'assistant', 'tool'].includes(role);
}

function outlineMessage(
  role: MessageOutline['role'],
  text: string,
  calls: readonly string[],
): MessageOutline {
  return {
    ...{ index: 0, role, range: { start: 0, end: text.length }, cacheControl: false, toolResultIds: [] },
    toolCalls: calls.map((name) => ({ id: name, name })),
    textRanges: () => [],
    text: () => text,
  };
}

/** Returns the text of a message. Message content is a string, or a list of parts with text. */
function readText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as ({ readonly text?: unknown } | null)[])
    .flatMap((part) => (typeof part?.text === 'string' ? [part.text] : []))
    .join('\n');
}

/**
 * Returns a question's original candidates. Returns undefined if the data set has no original candidates, or
 * if no original candidate is a needed tool.
 */
function readOwnPool(query: QueryLine, lines: ReadonlyMap<string, number>): number[] | undefined {
  const own = [...new Set((query.candidate_tool_ids ?? []).flatMap((id) => lines.get(id) ?? []))];
  return query.gold_tool_ids.some((id) => own.includes(lines.get(id) ?? -1)) ? own : undefined;
}

/**
 * Returns the array element at an index that must exist.
 * @throws RangeError if the element does not exist
 */
export function itemAt<Item>(items: readonly Item[], at: number): Item {
  const item = items[at];
  if (item === undefined) throw new RangeError(`there is no element at position ${at} of ${items.length}`);
  return item;
}
