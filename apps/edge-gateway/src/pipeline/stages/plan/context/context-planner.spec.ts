import type { CompressBlocksReply, CompressBlocksRequest } from '@gateway/contracts';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { ContextMemo } from './context-memo.ts';
import { ContextPlanner } from './context-planner.ts';
import { listCandidates } from './context-subject.ts';

const log = { debug: () => undefined, warn: () => undefined } as never;
const away = () => Promise.reject(new Error('away'));
const format = formatNamed('chat-completions');

/** A compressor that answers with capitals, or not at all. */
function open() {
  const asked: CompressBlocksRequest[] = [];
  const state = { isUp: true, forgets: false };
  const planner = new ContextPlanner(
    (request): Promise<CompressBlocksReply> => {
      asked.push(request);
      if (!state.isUp) return away();
      if (state.forgets && request.after !== null) {
        return Promise.resolve({ status: 'unknown', instanceId: 'one' });
      }
      const results = request.blocks.map(({ text, frozen }) => ({
        text: frozen ? null : text.trim().toUpperCase(),
        steps: [],
        markers: [],
      }));
      return Promise.resolve({ status: 'compressed', results });
    },
    new ContextMemo({ mgetBuffer: away, set: away }, log),
    log,
  );
  return { planner, asked, state };
}

const result = (at: number): string => `result number ${at} ${'of a tool that says much '.repeat(6)}  `;

/** What the results of a conversation go out as, turn by turn. */
async function send(planner: ContextPlanner, turns: number, left = new AbortController().signal) {
  const messages = Array.from({ length: turns }, (_, at) => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${at}`, function: { name: 'a', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: `c${at}`, content: result(at) },
  ]).flat();
  const body = { model: 'm', messages: [{ role: 'user', content: 'go on' }, ...messages] };
  const tape = scanJson(Buffer.from(JSON.stringify(body)), { depthMax: 64 });
  const outline = format.client.outlineRequest(tape);
  const candidates = listCandidates(outline);
  const subject = {
    format,
    tape,
    outline,
    candidates,
    requestId: 'r',
    left,
    accountId: 'a',
    mode: 'lossless',
  } as const;
  const { edits } = await planner.plan(subject, new AbortController().signal);
  return edits.map(({ replacement }) => JSON.parse(replacement) as string);
}

const upper = (at: number): string => result(at).trim().toUpperCase();

describe('ContextPlanner', () => {
  it('asks for what is new alone, and replays the rest', async () => {
    const { planner, asked } = open();
    await send(planner, 1);
    expect(await send(planner, 2)).toEqual([upper(0), upper(1)]);
    expect(asked.map(({ blocks }) => blocks.filter(({ speaker }) => speaker === 'tool').length)).toEqual([
      1, 1,
    ]);
    expect(asked[1]?.after).toBe(asked[0]?.upTo);
    await send(planner, 2);
    expect(asked).toHaveLength(2);
  });

  it('tells a compressor that has forgotten the whole conversation', async () => {
    const { planner, asked, state } = open();
    await send(planner, 1);
    state.forgets = true;
    expect(await send(planner, 2)).toEqual([upper(0), upper(1)]);
    expect(asked.at(-1)?.after).toBeNull();
    expect(asked.at(-1)?.blocks.map(({ text }) => text)).toEqual([
      'go on',
      'a {}',
      result(0),
      'a {}',
      result(1),
    ]);
  });

  it('sends what nobody looked at in time as it came, then and later, and says so to the compressor', async () => {
    const { planner, asked, state } = open();
    await send(planner, 1);
    state.isUp = false;
    expect(await send(planner, 2)).toEqual([upper(0)]);
    state.isUp = true;
    state.forgets = true;
    expect(await send(planner, 3)).toEqual([upper(0), upper(2)]);
    const frozen = asked
      .at(-1)
      ?.blocks.filter(({ speaker }) => speaker === 'tool')
      .map((block) => block.frozen);
    expect(frozen).toEqual([false, true, false]);
  });

  it('keeps nothing of a request whose client left', async () => {
    const { planner, state } = open();
    state.isUp = false;
    await send(planner, 1, AbortSignal.abort());
    state.isUp = true;
    expect(await send(planner, 1)).toEqual([upper(0)]);
  });
});
