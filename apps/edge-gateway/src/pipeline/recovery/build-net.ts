import type { RequestOutline, ToolDescription, ToolOutline } from '@gateway/interchange';
import { asksForStreamedUsage, type ClientWireFormat, type JsonTape } from '@gateway/wire-formats';
import { renderCallEdits } from './call-edits.ts';
import { renderAsked } from './answer-hidden-call.ts';
import type { SafetyNet, ToolStanding } from './safety-net.ts';
import { renderStandIn } from './stand-in.ts';

/** What a net is made of. Tools are told by their index in the client's list. */
export interface NetGiven extends Pick<SafetyNet, 'way' | 'recall'> {
  readonly format: ClientWireFormat;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  /** Tools that the key may use. */
  readonly eligible: readonly number[];
  readonly forwarded: readonly number[];
  /** Tools that the model asked about in its last turn. */
  readonly asked: readonly number[];
  /** Whether tools that are left out can be reached; else the net is for originals alone. */
  readonly reachesTools: boolean;
  /** Indexes of tools, best first. Fails as planning does. */
  readonly rank: (need: string) => Promise<readonly number[]>;
}

export function buildNet(given: NetGiven): SafetyNet {
  const { format, tape, outline, recall, way } = given;
  const standings = given.reachesTools ? findStandings(given) : new Map<string, ToolStanding>();
  const leftOut = new Map<string, number>();
  for (const { name, index } of outline.tools)
    if (name !== undefined && standings.get(name) === 'left_out' && !leftOut.has(name))
      leftOut.set(name, index);
  const standIn = renderStandIn({
    names: [...leftOut.keys()],
    taken: new Set(outline.tools.flatMap(({ name }) => name ?? [])),
    recalls: recall !== null,
  });
  const describe = (names: readonly string[]): readonly ToolDescription[] =>
    format.client.toolDefinitions(tape, toolsNamed(outline, leftOut, names));
  const asked = given.asked
    .flatMap((index) => outline.tools[index]?.name ?? [])
    .filter((name) => leftOut.has(name));
  return {
    way,
    standIn,
    leftOut,
    recall,
    standingOf: (name) => standings.get(name) ?? 'unknown',
    callEdits: isAnyCalled(outline, leftOut)
      ? renderCallEdits(format.client.listCalls(tape), standIn.name, (name) => leftOut.has(name))
      : [],
    describe,
    begun: asked.length === 0 ? [] : renderAsked(standIn.name, describe(asked)),
    find: (need) => findTools(given, leftOut, need),
    joinsTexts: format.name === 'chat-completions',
    streamsUsage: format.name === 'chat-completions' && asksForStreamedUsage(tape),
    without: (names) => withoutTools(given, names),
  };
}

/** Of tools of one name one standing: lists name all of them, and plans forward all of them. */
function findStandings({ outline, eligible, forwarded }: NetGiven): Map<string, ToolStanding> {
  const mayUse = new Set(eligible);
  const goes = new Set(forwarded);
  const standings = new Map<string, ToolStanding>();
  for (const { name, index } of outline.tools) {
    if (name === undefined) continue;
    if (!mayUse.has(index)) standings.set(name, 'denied');
    else if (goes.has(index)) standings.set(name, 'forwarded');
    else if (!standings.has(name)) standings.set(name, 'left_out');
  }
  return standings;
}

function isAnyCalled({ messages }: RequestOutline, leftOut: ReadonlyMap<string, number>): boolean {
  return messages.some(({ toolCalls }) => toolCalls.some(({ name }) => leftOut.has(name)));
}

function toolsNamed(
  { tools }: RequestOutline,
  leftOut: ReadonlyMap<string, number>,
  names: readonly string[],
): ToolOutline[] {
  return names.flatMap((name) => tools[leftOut.get(name) ?? -1] ?? []);
}

async function findTools(
  { outline, rank }: NetGiven,
  leftOut: ReadonlyMap<string, number>,
  need: string,
): Promise<readonly string[]> {
  try {
    const names = (await rank(need)).flatMap((index) => outline.tools[index]?.name ?? []);
    return [...new Set(names)].filter((name) => leftOut.has(name));
  } catch {
    return findByWords([...leftOut.keys()], need);
  }
}

/** Without the router: the names that share the most words with the need. */
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

function withoutTools(given: NetGiven, names: readonly string[]): SafetyNet | null {
  const added = new Set(names);
  const eligible = new Set(given.eligible);
  const indexes = given.outline.tools.filter(
    ({ name, index }) => name !== undefined && added.has(name) && eligible.has(index),
  );
  const forwarded = [...new Set([...given.forwarded, ...indexes.map(({ index }) => index)])];
  const net = buildNet({ ...given, forwarded, asked: [] });
  return net.leftOut.size === 0 && net.recall === null ? null : net;
}
