import { hash } from 'node:crypto';
import type { CompressBlocksReply, CompressBlocksRequest } from '@gateway/contracts';
import { loadCatalog, type CatalogModel } from '@gateway/model-catalog';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { ContextMemo } from './context-memo.ts';
import { ContextPlanner } from './context-planner.ts';
import { listCandidates, type ContextSettings } from './context-subject.ts';

const log = { debug: () => undefined, warn: () => undefined } as never;
export const away = () => Promise.reject(new Error('away'));
const format = formatNamed('chat-completions');

export const markerOf = (text: string): string => hash('sha256', text).slice(0, 12);

/** Replaces the compression steps in tests. Version 1 returns upper case, and version 2 returns lower case. */
const shorten = (text: string, version: number | undefined): string =>
  version === 2 ? text.trim().toLowerCase() : text.trim().toUpperCase();

/** Creates a planner with a compressor that can fail and can support several versions of the compression steps. */
export function open(redis: ConstructorParameters<typeof ContextMemo>[0] = { mgetBuffer: away, set: away }) {
  const asked: CompressBlocksRequest[] = [];
  const state = { isUp: true, forgets: false, kept: new Map<string, string>(), versions: [1] };
  const planner = new ContextPlanner(
    {
      compress(request): Promise<CompressBlocksReply> {
        asked.push(request);
        if (!state.isUp) return away();
        if (!state.versions.includes(request.version ?? 0)) return Promise.resolve({ status: 'unsupported' });
        if (state.forgets && request.after !== null) {
          return Promise.resolve({ status: 'unknown', instanceId: 'one' });
        }
        const results = request.blocks.map(({ text, frozen, old }) => ({
          text: frozen ? null : old === true ? 'old' : shorten(text, request.version),
          steps: [],
          markers: frozen ? [] : [markerOf(text)],
        }));
        const original = request.blocks.find(({ text }) => markerOf(text) === request.recall)?.text;
        return Promise.resolve({
          status: 'compressed',
          results,
          ...(original === undefined ? {} : { original }),
        });
      },
      recall: ({ ids }) => Promise.resolve(ids.map((id) => state.kept.get(id) ?? null)),
    },
    new ContextMemo(redis, log),
    log,
  );
  return { planner, asked, state };
}

export const result = (at: number): string =>
  `result number ${at} ${'of a tool that says much '.repeat(6)}  `;

export interface Sending {
  readonly left?: AbortSignal;
  readonly settings?: ContextSettings;
  readonly accountId?: string;
  readonly opening?: string;
  readonly model?: CatalogModel | undefined;
  readonly resultOf?: (at: number) => string;
  /** Index of the tool result that contains the client's cache marker. */
  readonly marked?: number;
}

/** A conversation with the given number of tool results. */
export function subjectOf(turns: number, sending: Sending = {}) {
  const { opening = 'go on', resultOf = result, marked } = sending;
  const contentOf = (at: number) =>
    at === marked
      ? [{ type: 'text', cache_control: { type: 'ephemeral' }, text: resultOf(at) }]
      : resultOf(at);
  const messages = Array.from({ length: turns }, (_, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${at}`, function: { name: 'a', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: contentOf(at) },
  ]).flat();
  const body = { model: 'm', messages: [{ role: 'user', content: opening }, ...messages] };
  const tape = scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 64 });
  const outline = format.client.outlineRequest(tape);
  const parts = format.client.listContext(tape, 0);
  const candidates = listCandidates(outline, parts);
  return {
    tape,
    outline,
    parts,
    candidates,
    requestId: 'r',
    left: sending.left ?? new AbortController().signal,
    accountId: sending.accountId ?? 'a',
    settings: sending.settings ?? lossless,
    isRecallable: sending.settings?.recoverable ?? false,
    model: sending.model,
  };
}

export const plan = (planner: ContextPlanner, turns: number, sending?: Sending) =>
  planner.plan(subjectOf(turns, sending), signal);

/** Returns the texts that replace the tool results. */
export async function send(planner: ContextPlanner, turns: number, sending?: Sending): Promise<string[]> {
  const { edits } = await plan(planner, turns, sending);
  return edits.map(({ replacement }) => JSON.parse(replacement) as string);
}

export const lossless: ContextSettings = { mode: 'lossless', recoverable: false, version: 1 };
export const recoverable: ContextSettings = { mode: 'balanced', recoverable: true, version: 1 };
export const cached = loadCatalog().find('anthropic', 'claude-sonnet-4-5')!;
export const signal = new AbortController().signal;

export const upper = (at: number): string => result(at).trim().toUpperCase();
