import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ToolDefinition } from '@gateway/contracts';
import { loadTranscripts, type Message } from '../compression/transcripts.ts';
import { tokensOf } from '../compression/token-table.ts';
import type { EvalRequest, EvalSession } from './eval-session.ts';

/** Assumed token counts, because the public dialogues lack tool results and instructions. */
const systemTokens = 300;
const resultTokens = 80;
const callTokens = 40;
const answerTokens = 60;

interface QueryLine {
  readonly dataset: string;
  readonly query_id: string;
  readonly query: string;
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
  readonly candidate_tool_ids: readonly string[] | null;
  readonly gold_tool_ids: readonly string[];
  readonly meta?: { readonly turn?: number };
}

export interface SessionData {
  readonly sessions: readonly EvalSession[];
  /** The tools from all data sets. The replays fill up tool lists with tools from all data sets. */
  readonly tools: ReadonlyMap<string, ToolDefinition>;
}

/** Reads the multi-turn data sets in `tools/`, and the transcripts with tool calls in `transcripts/`. */
export function loadSessions(directory: string): SessionData {
  const tools = readTools(join(directory, 'tools/tools.jsonl'));
  const lines = parseLines<QueryLine>(join(directory, 'tools/queries.jsonl'));
  const sessions = (['apibank', 'bfcl_multi_turn'] as const).flatMap((source) =>
    readDialogues(
      source,
      lines.filter(({ dataset }) => dataset === source),
      tools,
    ),
  );
  return { sessions: [...sessions, ...readTranscripts(join(directory, 'transcripts'))], tools };
}

function parseLines<Line>(file: string): Line[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

interface ToolLine {
  readonly tool_id: string;
  readonly name: string;
  readonly description: string | null;
  readonly parameters: unknown;
}

function readTools(file: string): Map<string, ToolDefinition> {
  return new Map(
    parseLines<ToolLine>(file).map(({ tool_id, name, description, parameters }) => [
      tool_id,
      defineTool(tool_id, name, description ?? '', parameters),
    ]),
  );
}

function defineTool(id: string, name: string, description: string, parameters: unknown): ToolDefinition {
  const hash = createHash('sha256').update(id).digest('hex');
  return { hash, name, description, parameters, examples: [] };
}

/**
 * Reads a session from a data set. Each line of a data set is one turn of a dialogue. The model calls a
 * turn's needed tools one after another, and then responds.
 */
function readDialogues(
  source: 'apibank' | 'bfcl_multi_turn',
  lines: readonly QueryLine[],
  tools: ReadonlyMap<string, ToolDefinition>,
): EvalSession[] {
  const dialogues = Map.groupBy(lines, ({ query_id }) => query_id.slice(0, query_id.lastIndexOf('/')));
  return [...dialogues].flatMap(([id, turns]) => {
    const sorted = turns.toSorted((one, other) => (one.meta?.turn ?? 0) - (other.meta?.turn ?? 0));
    const isWhole = sorted.every(({ meta }, at) => meta?.turn === at);
    const needs = sorted.some(({ gold_tool_ids }) => gold_tool_ids.length > 0);
    if (!isWhole || !needs) return [];
    const ids = new Set(
      sorted.flatMap((turn) => [...(turn.candidate_tool_ids ?? []), ...turn.gold_tool_ids]),
    );
    const own = [...ids].flatMap((each) => tools.get(each) ?? []);
    const requests = sorted.flatMap((_, at) => readTurn(sorted.slice(0, at + 1), tools));
    return [{ id, source, systemTokens, tools: own, requests }];
  });
}

function readTurn(turns: readonly QueryLine[], tools: ReadonlyMap<string, ToolDefinition>): EvalRequest[] {
  const userTurns = turns.map(({ query }) => query);
  const names = (turns.at(-1)?.gold_tool_ids ?? []).map((id) => tools.get(id)?.name ?? undefined);
  return [...names, undefined].map((needed, at) => ({
    userTurns,
    newTokens: at === 0 ? tokensOf(userTurns.at(-1) ?? '') : resultTokens,
    outputTokens: needed === undefined ? answerTokens : callTokens,
    needed,
  }));
}

/**
 * Generates tool definitions, because transcripts contain no definitions. The generator uses tool names, the
 * arguments of tool calls, and our own descriptions.
 */
function readTranscripts(folder: string): EvalSession[] {
  const transcripts = loadTranscripts(folder).filter(({ set }) => set === 'json');
  const parameters = new Map<string, Set<string>>();
  for (const { messages } of transcripts)
    for (const { function: call } of messages.flatMap(({ tool_calls = [] }) => tool_calls)) {
      const known = parameters.get(call.name) ?? new Set<string>();
      for (const name of namesOfArguments(call.arguments)) known.add(name);
      parameters.set(call.name, known);
    }
  const tools = [...parameters].map(([name, names]) => {
    const properties = Object.fromEntries([...names].map((each) => [each, { type: 'string' }]));
    return defineTool(`airline::${name}`, name, airlineTools[name] ?? '', { type: 'object', properties });
  });
  return transcripts.map(({ id, messages }) => ({
    id,
    source: 'airline',
    systemTokens: tokensOf(messages.find(({ role }) => role === 'system')?.content ?? ''),
    tools,
    requests: readRequests(messages),
  }));
}

function namesOfArguments(text: string): string[] {
  try {
    return Object.keys(JSON.parse(text) as object);
  } catch {
    return [];
  }
}

/** Returns the requests of a transcript. Every message of the model becomes one request. */
function readRequests(messages: readonly Message[]): EvalRequest[] {
  const requests: EvalRequest[] = [];
  let userTurns: string[] = [];
  let newTokens = 0;
  for (const { role, content, tool_calls: [call] = [] } of messages) {
    const tokens = tokensOf(content ?? '');
    if (role === 'user') userTurns = [...userTurns, content ?? ''];
    if (role === 'user' || role === 'tool') newTokens += tokens;
    if (role !== 'assistant') continue;
    const outputTokens =
      tokens + (call === undefined ? 0 : tokensOf(call.function.name + call.function.arguments));
    requests.push({ userTurns, newTokens, outputTokens, needed: call?.function.name });
    newTokens = 0;
  }
  return requests.filter((request) => request.userTurns.length > 0);
}

const airlineTools: Readonly<Record<string, string>> = {
  get_user_details:
    "Look up a customer's profile by user id: name, address, payment methods, membership, reservations.",
  get_reservation_details:
    'Look up a reservation by its id: flights, dates, passengers, cabin, baggage, payment.',
  search_direct_flight: 'Find direct flights between two airports on a date.',
  search_onestop_flight: 'Find flights with one stop between two airports on a date.',
  list_all_airports: 'List the airports that are served, with their cities.',
  book_reservation: 'Book a trip for a customer: flights, cabin, passengers, baggage, insurance, payment.',
  cancel_reservation: 'Cancel a reservation as a whole.',
  update_reservation_flights: 'Change the flights or the cabin class of a reservation.',
  update_reservation_baggages: 'Add checked bags to a reservation.',
  update_reservation_passengers: 'Correct the passengers of a reservation.',
  send_certificate: 'Give a customer a certificate of some amount as compensation.',
  calculate: 'Work out an arithmetic expression.',
  think: 'Write down a thought before going on. Changes nothing.',
  transfer_to_human_agents: 'Hand the customer over to a human agent, with a summary.',
};
