import type { CompressBlocksReply, CompressBlocksRequest } from '@gateway/contracts';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { ContextMemo } from '../../../apps/edge-gateway/src/pipeline/stages/plan/context/context-memo.ts';
import { ContextPlanner } from '../../../apps/edge-gateway/src/pipeline/stages/plan/context/context-planner.ts';
import { listCandidates } from '../../../apps/edge-gateway/src/pipeline/stages/plan/context/context-subject.ts';

const log = { debug: () => undefined, warn: () => undefined } as never;
const { signal } = new AbortController();
const format = formatNamed('chat-completions');

/** A conversation with bound reasoning. The newest message is a tool result. */
function openSubject(kept: string[] = []) {
  const messages = [
    { role: 'user', content: 'go on' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', function: { name: 'a', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'a result of a tool that says much '.repeat(9) },
  ];
  const tape = scanJson(Buffer.from(JSON.stringify({ model: 'm', messages })), { depthMax: 64 });
  const outline = format.client.outlineRequest(tape);
  const parts = format.client.listContext(tape, 0);
  const pinned = {
    find: () => Promise.resolve([]),
    keep: (name: string) => Promise.resolve(void kept.push(name)),
  };
  return {
    ...{ tape, outline, parts, candidates: listCandidates(outline, parts), pinned },
    ...{ requestId: 'r', left: signal, accountId: 'a', isRecallable: false, model: undefined },
    settings: { mode: 'lossless', recoverable: false, version: 1 } as const,
  };
}

/**
 * A replica of the gateway's planner. All replicas share one Redis server. Each call to the compressor is
 * pending until the test provides the result.
 */
function openReplica(redis = new Map<string, Buffer>(), isLate = false) {
  const waiting: { answer(): void; fail(): void }[] = [];
  const compress = ({ blocks }: CompressBlocksRequest): Promise<CompressBlocksReply> => {
    const results = blocks.map(({ frozen }) => ({ text: frozen ? null : 'short', steps: [], markers: [] }));
    if (isLate) return Promise.reject(new Error('late'));
    return new Promise((resolve, reject) => {
      const answer = () => resolve({ status: 'compressed', results });
      waiting.push({ answer, fail: () => reject(new Error('late')) });
    });
  };
  const memo = new ContextMemo(
    {
      mgetBuffer: (...keys) => Promise.resolve(keys.map((key) => redis.get(key) ?? null)),
      set: (_, key, value) => Promise.resolve(redis.set(key, value)),
    },
    log,
  );
  const planner = new ContextPlanner({ compress, recall: () => Promise.resolve([]) }, memo, log);
  const send = async (kept?: string[]) => {
    const { context } = await planner.planPinned(openSubject(kept), signal);
    return context.edits.map(({ replacement }) => JSON.parse(replacement) as string);
  };
  const asked = async (count: number) => {
    while (waiting.length < count) await new Promise(setImmediate);
    return waiting;
  };
  return { send, asked };
}

it.each(['answer', 'fail'] as const)(
  'parallel requests send a new message in one form, which the first request to %s decides',
  async (first) => {
    const { send, asked } = openReplica();
    const sending = [send(), send()];
    const [one, other] = await asked(2);
    const texts = first === 'answer' ? ['short'] : [];
    one![first]();
    expect(await sending[0]).toEqual(texts);
    other![first === 'answer' ? 'fail' : 'answer']();
    expect(await sending[1]).toEqual(texts);
    expect(await send()).toEqual(texts);
  },
);

it('another replica repeats a request with the new message in the form of the first replica', async () => {
  const redis = new Map<string, Buffer>();
  const replica = openReplica(redis);
  const sending = replica.send();
  (await replica.asked(1))[0]!.answer();
  expect(await sending).toEqual(['short']);
  expect(await openReplica(redis, true).send()).toEqual(['short']);
});
