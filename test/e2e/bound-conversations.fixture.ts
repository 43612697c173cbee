import { findSharedData, type StackUnderTest } from '@gateway/testing';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as waitMs } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { AgentAnswer } from './agent-clients.fixture.ts';
import type { FunctionTool } from './github-tools.fixture.ts';

const listLength = 100;
const datasets = ['metatool', 'bfcl_multi_turn', 'toolbank_numpy', 'toolalpaca', 'sealtools'];

interface ToolLine {
  readonly dataset: string;
  readonly tool_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly parameters: Record<string, unknown> | null;
}
interface QueryLine {
  readonly dataset: string;
  readonly query: string;
  readonly gold_tool_ids: readonly string[];
}
interface Task {
  readonly query: string;
  readonly tool: string;
}
/**
 * The first tools of a public data set, and questions about the tools. To answer each question, a model must
 * call one of the tools.
 */
export interface ToolSet {
  readonly tools: readonly FunctionTool[];
  readonly tasks: readonly Task[];
}

/**
 * Loads the tool sets for tests with many conversations.
 * @throws Error if the public data sets are missing
 */
export function loadToolSets(): ToolSet[] {
  const folder = findSharedData('tools');
  if (folder === undefined) throw new Error('The data sets are missing: ../shared/data/tools');
  const lines = parseLines<ToolLine>(join(folder, 'tools.jsonl'));
  const queries = parseLines<QueryLine>(join(folder, 'queries.jsonl'));
  return datasets.map((dataset) => {
    const byName = new Map(lines.filter((line) => line.dataset === dataset).map((line) => [line.name, line]));
    const listed = [...byName.values()].slice(0, listLength);
    const names = new Map(listed.map(({ tool_id, name }) => [tool_id, name]));
    const tasks = queries.flatMap(({ query, gold_tool_ids: [gold = ''] }) => {
      const tool = names.get(gold);
      return tool === undefined || query.trim() === '' ? [] : [{ query, tool }];
    });
    return { tools: listed.map(renderTool), tasks };
  });
}

function parseLines<Line>(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

function renderTool({ name, description, parameters }: ToolLine): FunctionTool {
  const schema = { type: 'object', properties: {}, ...parameters };
  return { type: 'function', function: { name, description: description ?? '', parameters: schema } };
}

/** Deletes all data from the Redis server that stores the conversations. */
export async function flushCache(stack: StackUnderTest): Promise<void> {
  const redis = new Redis(stack.dev.redis_cache_url);
  await redis.flushall();
  redis.disconnect();
}

/** Repeats a request until the restarted services respond, like the retries of agents' SDKs. */
export async function insist(ask: () => Promise<AgentAnswer>): Promise<AgentAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await ask().catch(() => undefined);
    const isUnserved = answer === undefined || answer.status >= 500 || !answer.isWhole;
    if (!isUnserved || answer?.status === 400 || attempt === 150) {
      if (answer === undefined) throw new Error('the gateway sends no response');
      return answer;
    }
    await waitMs(200);
  }
}
