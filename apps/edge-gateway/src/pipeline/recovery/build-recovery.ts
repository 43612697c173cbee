import type { ByteEdit, RequestOutline, ToolDescription, ToolOutline } from '@gateway/interchange';
import type { CallPlace, ClientWireFormat, JsonTape } from '@gateway/wire-formats';
import { renderRequestedTools } from './answer-recovery-call.ts';
import type { Recovery, ToolStatus } from './recovery.ts';
import { renderRecoveryTool, renderRecoveryToolCall } from './recovery-tool.ts';

/**
 * Returns whether a request can carry the recovery tool. A request cannot carry the recovery tool in three cases.
 * First, the client forces the model to call a tool (mode `required`). Second, the client requests several responses
 * at once, because each response could need different tools. Third, the client's last message contains the beginning
 * of the model's response. The request lists the recovery tool even if the client forbids tool calls or allows only
 * named tools. An unchanged tool list keeps the provider's prompt cache valid. The function does not check for bound
 * reasoning.
 */
export function acceptsRecoveryTool({ outline, tape }: { outline: RequestOutline; tape: JsonTape }): boolean {
  if (outline.tools.length === 0 || outline.toolChoice.mode === 'required') return false;
  return outline.messages.at(-1)?.role !== 'assistant' && !wantsSeveralAnswers(tape);
}

function wantsSeveralAnswers(tape: JsonTape): boolean {
  const wanted = tape.get(tape.root, 'n');
  return wanted !== undefined && tape.kind(wanted) === 'number' && Number(tape.value(wanted)) > 1;
}

/** The inputs from which a recovery is built. All numbers are indexes into the client's tool list. */
export interface RecoveryInput extends Pick<Recovery, 'mode' | 'recall'> {
  readonly format: ClientWireFormat;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /** Tools that the key may use. */
  readonly eligible: readonly number[];
  readonly forwarded: readonly number[];
  /** Tools that the model requested in its last turn. */
  readonly requested: readonly number[];
  /**
   * Whether the model can request pruned tools through the recovery tool. If the value is false, the model can
   * recover only compressed content.
   */
  readonly reachesTools: boolean;
  /** Returns whether the API key may use a tool. Absent if the API key has no tool lists. */
  readonly permits?: ((name: string) => boolean) | undefined;
  /** Returns tool indexes, best match first. Rejects if planning fails. */
  readonly rank: (need: string) => Promise<readonly number[]>;
}

export function buildRecovery(given: RecoveryInput): Recovery {
  const { format, tape, outline, recall, mode } = given;
  const standings = given.reachesTools ? findStandings(given) : new Map<string, ToolStatus>();
  const pruned = new Map<string, number>();
  for (const { name, index } of outline.tools)
    if (name !== undefined && standings.get(name) === 'pruned' && !pruned.has(name)) pruned.set(name, index);
  const recoveryTool = renderRecoveryTool({
    names: [...pruned.keys()],
    taken: new Set(outline.tools.flatMap(({ name }) => name ?? [])),
    recalls: recall !== null,
  });
  const describe = (names: readonly string[]): readonly ToolDescription[] =>
    format.client.toolDefinitions(tape, toolsNamed(outline, pruned, names));
  const requested = given.requested
    .flatMap((index) => outline.tools[index]?.name ?? [])
    .filter((name) => pruned.has(name));
  return {
    mode,
    recoveryTool,
    pruned,
    recall,
    calledName: (name) => nameCall(outline, name),
    statusOf: (name) => standings.get(name) ?? (given.permits?.(name) === false ? 'denied' : 'unknown'),
    callEdits: isAnyCalled(outline, pruned)
      ? renderCallEdits(format.client.listCalls(tape), recoveryTool.name, (name) => pruned.has(name))
      : [],
    describe,
    openingMessages:
      requested.length === 0 ? [] : renderRequestedTools(recoveryTool.name, describe(requested)),
    described: requested,
    find: (need) => findTools(given, pruned, need),
    joinsTexts: format.client.joinsTexts,
    joinedFormat: format.client.joinsResponses === true ? outline.format : undefined,
    streamsUsage: format.client.requestsStreamedUsage(tape),
    afterForwarding: (names) => withoutTools(given, names),
  };
}

function nameCall({ tools }: RequestOutline, name: string): ReturnType<Recovery['calledName']> {
  const namespace = tools.find((tool) => tool.name === name)?.namespace;
  return namespace === undefined ? { name } : { name, namespace };
}

/**
 * Returns the status of each tool name. Tools with the same name share one status, because tool lists and plans
 * refer to names.
 */
function findStandings({ outline, eligible, forwarded }: RecoveryInput): Map<string, ToolStatus> {
  const mayUse = new Set(eligible);
  const sent = new Set(forwarded);
  const standings = new Map<string, ToolStatus>();
  for (const { name, index } of outline.tools) {
    if (name === undefined) continue;
    if (!mayUse.has(index)) standings.set(name, 'denied');
    else if (sent.has(index)) standings.set(name, 'forwarded');
    else if (!standings.has(name)) standings.set(name, 'pruned');
  }
  return standings;
}

function isAnyCalled({ messages }: RequestOutline, pruned: ReadonlyMap<string, number>): boolean {
  return messages.some(({ toolCalls }) => toolCalls.some(({ name }) => pruned.has(name)));
}

function toolsNamed(
  { tools }: RequestOutline,
  pruned: ReadonlyMap<string, number>,
  names: readonly string[],
): ToolOutline[] {
  return names.flatMap((name) => tools[pruned.get(name) ?? -1] ?? []);
}

async function findTools(
  { outline, rank }: RecoveryInput,
  pruned: ReadonlyMap<string, number>,
  need: string,
): Promise<readonly string[]> {
  try {
    const names = (await rank(need)).flatMap((index) => outline.tools[index]?.name ?? []);
    return [...new Set(names)].filter((name) => pruned.has(name));
  } catch {
    return findByWords([...pruned.keys()], need);
  }
}

/**
 * Finds tools without the tool router. A tool matches if its name shares words with the model's description
 * of the needed tool. Tools that share more words with the description come first.
 */
function findByWords(names: readonly string[], need: string): string[] {
  const wanted = new Set(wordsOf(need));
  const scored = names.map((name) => ({
    name,
    score: wordsOf(name).filter((word) => wanted.has(word)).length,
  }));
  return scored
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .map(({ name }) => name);
}

function wordsOf(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);
}

function withoutTools(given: RecoveryInput, names: readonly string[]): Recovery | null {
  const added = new Set(names);
  const eligible = new Set(given.eligible);
  const indexes = given.outline.tools.filter(
    ({ name, index }) => name !== undefined && added.has(name) && eligible.has(index),
  );
  const forwarded = [...new Set([...given.forwarded, ...indexes.map(({ index }) => index)])];
  const recovery = buildRecovery({ ...given, forwarded, requested: [] });
  return recovery.pruned.size === 0 && recovery.recall === null ? null : recovery;
}

/**
 * Rewrites calls to pruned tools in the transcript as calls to the recovery tool. The rewritten form depends
 * only on the transcript, so every later turn is rewritten in the same way.
 */
function renderCallEdits(
  places: readonly CallPlace[],
  standInName: string,
  isLeftOut: (name: string) => boolean,
): ByteEdit[] {
  const edits = places
    .filter(({ name }) => isLeftOut(name))
    .flatMap((place): ByteEdit[] => {
      const call = renderRecoveryToolCall(place.name, place.argumentsText());
      return [
        { ...place.nameRange, replacement: JSON.stringify(standInName) },
        { ...place.argumentsRange, replacement: place.isText ? JSON.stringify(call) : call },
        ...(place.namespaceEdits ?? []),
      ];
    });
  return edits.sort((one, other) => one.start - other.start);
}
