import fc from 'fast-check';
import { applyEdits, formatNamed, scanJson } from '@gateway/wire-formats';
import {
  compressBlocks,
  ConversationStore,
} from '../../apps/compressor/src/compress-blocks/compress-blocks.ts';
import { ContextMemo } from '../../apps/edge-gateway/src/pipeline/stages/plan/context/context-memo.ts';
import { ContextPlanner } from '../../apps/edge-gateway/src/pipeline/stages/plan/context/context-planner.ts';
import { listCandidates } from '../../apps/edge-gateway/src/pipeline/stages/plan/context/context-subject.ts';
import {
  chatConversation,
  converseConversation,
  messagesConversation,
  type Conversation,
} from '../e2e/conversations.fixture.ts';
import { conversation } from './sample-conversations.ts';

const log = { debug: () => undefined, warn: () => undefined } as never;
/** Without Redis, each replica knows only the messages in its own requests. */
const noRedis = {
  mgetBuffer: () => Promise.reject(new Error('away')),
  set: () => Promise.reject(new Error('away')),
};

/** Creates an edge replica with several compressors. The compressors do not share stored texts. */
function openReplica(compressors: number): ContextPlanner {
  const stores = Array.from({ length: compressors }, () => new ConversationStore(10_000_000));
  let next = 0;
  return new ContextPlanner(
    {
      compress(question, _, instanceId) {
        const at = instanceId === undefined ? next++ % compressors : Number(instanceId);
        const { reply } = compressBlocks(question, { store: stores[at]!, instanceId: String(at) });
        return Promise.resolve(reply);
      },
      recall: ({ ids }) => Promise.resolve(ids.map(() => null)),
    },
    new ContextMemo(noRedis, log),
    log,
  );
}

const formats = [
  [chatConversation, 'chat-completions', undefined],
  [messagesConversation, 'messages', undefined],
  [converseConversation, 'converse', { model: 'm', stream: false }],
] as const;

async function send(planner: ContextPlanner, body: Buffer, at: number): Promise<Buffer> {
  const [, name, route] = formats[at]!;
  const format = formatNamed(name);
  const tape = scanJson(body, { depthMax: 128 });
  const outline = format.client.outlineRequest(tape, route);
  const parts = format.client.listContext(tape, 0);
  const candidates = listCandidates(outline, parts);
  if (candidates.length === 0) return body;
  const subject = {
    tape,
    outline,
    parts,
    candidates,
    requestId: 'r',
    left: new AbortController().signal,
    accountId: 'a',
    settings: { mode: 'balanced', recoverable: true, version: 1 },
    isRecallable: true,
    model: undefined,
  } as const;
  const { edits } = await planner.plan(subject, new AbortController().signal);
  return Buffer.from(applyEdits(body, edits));
}

const bodyOf = (made: Conversation, results: readonly string[]): Buffer =>
  Buffer.from(JSON.stringify(made.body(results), null, 1));

/** Returns the request body without tool results. Compression may change only tool results. */
const withoutResults = (made: Conversation, body: Buffer): unknown => {
  const results = new Set(made.resultsIn(JSON.parse(body.toString())));
  return JSON.parse(body.toString(), (_, value: unknown) =>
    typeof value === 'string' && results.has(value) ? null : value,
  );
};

const cases = { numRuns: 40 };

describe.each(formats.map(([made], at) => [made.name, made, at] as const))('%s', (_, made, at) => {
  it('tool calls and results stay paired, and each turn starts with all bytes of the previous turn', async () => {
    const property = fc.asyncProperty(conversation, async (blocks) => {
      const planner = openReplica(2);
      const results = blocks.map(({ text }) => text);
      let last: string[] = [];
      for (let turn = 1; turn <= results.length; turn += 1) {
        const body = bodyOf(made, results.slice(0, turn));
        const sent = await send(planner, body, at);
        expect(sent.length).toBeLessThanOrEqual(body.length);
        expect(withoutResults(made, sent)).toEqual(withoutResults(made, body));
        const now = made.resultsIn(JSON.parse(sent.toString()));
        expect(now.slice(0, -1)).toEqual(last);
        last = now;
      }
      // A replica that received none of the earlier turns sends the same bytes as the first replica.
      const whole = bodyOf(made, results);
      expect(await send(openReplica(1), whole, at)).toEqual(await send(planner, whole, at));
    });
    await fc.assert(property, cases);
  }, 60_000);
});
