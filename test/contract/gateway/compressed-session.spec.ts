import { EditedBytes, formatNamed, scanJson } from '@gateway/wire-formats';
import { findSharedData, skipUnless } from '@gateway/testing';
import {
  compressBlocks,
  ConversationStore,
} from '../../../apps/compressor/src/compress-blocks/compress-blocks.ts';
import { ContextMemo } from '../../../apps/edge-gateway/src/pipeline/stages/plan/context/context-memo.ts';
import { ContextPlanner } from '../../../apps/edge-gateway/src/pipeline/stages/plan/context/context-planner.ts';
import { listCandidates } from '../../../apps/edge-gateway/src/pipeline/stages/plan/context/context-subject.ts';
import {
  contextEditsAreTexts,
  protectedRangesAreUntouched,
} from '../../../apps/edge-gateway/src/pipeline/stages/validate/invariants.ts';
import { identityPlan } from '../../../apps/edge-gateway/src/pipeline/exchange/tool-plan.ts';
import { loadTranscripts, type Message, type Transcript } from '../../eval/compression/transcripts.ts';

/**
 * Recorded sessions of coding agents, sent with a cache marker on the newest message. The test repeats
 * earlier messages without the cache marker, as current agents do.
 */
const folder = findSharedData('transcripts');
// The transcripts are not part of the repository, but CI requires them (`findSharedData`).
const describeSessions = skipUnless(folder !== undefined, describe);
const sessions = folder === undefined ? [] : loadTranscripts(folder).filter(({ set }) => set === 'coding');

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly content?: string;
  readonly tool_use_id?: string;
  readonly cache_control?: object;
}
interface SentMessage {
  readonly role: string;
  readonly content: string | readonly Block[];
}

const messages = formatNamed('messages');
const log = { debug: () => undefined, warn: () => undefined } as never;

/** Creates a gateway without Redis. A gateway without Redis starts without any stored conversations. */
function openGateway(): ContextPlanner {
  const away = () => Promise.reject(new Error('away'));
  const store = new ConversationStore(100_000_000);
  const compress = (request: Parameters<typeof compressBlocks>[0]) =>
    Promise.resolve(compressBlocks(request, { store, instanceId: 'one' }).reply);
  return new ContextPlanner(
    { compress, recall: ({ ids }) => Promise.resolve(ids.map(() => null)) },
    new ContextMemo({ mgetBuffer: away, set: away }, log),
    log,
  );
}

/** Returns a session's requests, one for each message of the model. */
function listRequests({ messages: all }: Transcript): SentMessage[][] {
  const turns = all.filter(({ role }) => role !== 'system');
  return turns.flatMap(({ role }, at) =>
    role === 'assistant'
      ? [turns.slice(0, at).map((message, place) => renderMessage(message, place, place === at - 1))]
      : [],
  );
}

function renderMessage(message: Message, at: number, isNewest: boolean): SentMessage {
  const { role, content, tool_calls = [] } = message;
  const marker = isNewest ? { cache_control: { type: 'ephemeral' } } : {};
  if (role === 'tool')
    return {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `call_${at}`, content: content ?? '', ...marker }],
    };
  if (role === 'assistant') {
    const calls = tool_calls.map(({ function: { name, arguments: input } }) => ({
      ...{ type: 'tool_use', id: `call_${at + 1}`, name, input: { input } },
    }));
    return { role, content: [{ type: 'text', text: content ?? '' }, ...calls] };
  }
  return { role, content: isNewest ? [{ type: 'text', text: content ?? '', ...marker }] : (content ?? '') };
}

async function sendThrough(gateway: ContextPlanner, request: readonly SentMessage[], isBound: boolean) {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', max_tokens: 9, messages: request }));
  const tape = scanJson(bytes, { depthMax: 64 });
  const outline = messages.client.outlineRequest(tape);
  const parts = messages.client.listContext(tape, 0);
  const candidates = listCandidates(outline, parts);
  const subject = {
    ...{
      tape,
      outline,
      parts,
      candidates,
      requestId: 'r',
      left: new AbortController().signal,
      accountId: 'a',
    },
    settings: { mode: 'lossless', recoverable: false, version: 1 },
    ...{ isRecallable: false, model: undefined },
  } as const;
  const pinned = { find: () => Promise.resolve([]), keep: () => Promise.resolve() };
  const { signal } = new AbortController();
  const context = isBound
    ? (await gateway.planPinned({ ...subject, pinned }, signal)).context
    : await gateway.plan(subject, signal);
  const plan = { ...identityPlan([], null), context };
  const edited = new EditedBytes(bytes, context.edits);
  const draft = { bytes, tape, outline, plan, edited };
  expect([protectedRangesAreUntouched(draft), contextEditsAreTexts(draft)]).toEqual([null, null]);
  const sent = JSON.parse(Buffer.from(edited.bytes).toString()) as { messages: SentMessage[] };
  return sent.messages;
}

/**
 * Returns the bytes that the provider compares in its prompt cache. Cache markers are removed, and every text
 * message is written in the same form.
 */
function renderPrefix(sent: readonly SentMessage[]): string[] {
  return sent.map(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return JSON.stringify({ role, content: blocks.map((block) => ({ ...block, cache_control: undefined })) });
  });
}

describeSessions.each([
  ['with bound reasoning', true],
  ['without bound reasoning', false],
])('a recorded coding session %s, with a cache marker on the newest message', (_, isBound) => {
  it('the session is compressed on arrival, and no byte before the last assistant turn changes', async () => {
    let compressed = 0;
    for (const session of sessions) {
      const gateway = openGateway();
      let before: string[] = [];
      for (const request of listRequests(session)) {
        const [given, sent] = [
          renderPrefix(request),
          renderPrefix(await sendThrough(gateway, request, isBound)),
        ];
        const tail = request.findLastIndex(({ role }) => role === 'assistant') + 1;
        expect(sent.slice(0, before.length)).toEqual(before);
        // Compared with the previous request, only the model's turn and the new messages were added.
        expect(sent.slice(before.length, tail)).toEqual(given.slice(before.length, tail));
        if (sent.slice(tail).join().length < given.slice(tail).join().length) compressed += 1;
        before = sent;
      }
    }
    expect(compressed).toBeGreaterThan(sessions.length);
  });
});

/**
 * Sends a session through one gateway, and the session's last request again through a new gateway. Returns
 * the last upstream request of each gateway.
 */
async function repeatLast(session: Transcript, isBound: boolean) {
  const requests = listRequests(session);
  const [gateway, last = []] = [openGateway(), requests.at(-1)];
  let sent: SentMessage[] = [];
  for (const request of requests) sent = await sendThrough(gateway, request, isBound);
  const again = await sendThrough(openGateway(), last, isBound);
  const tail = last.findLastIndex(({ role }) => role === 'assistant') + 1;
  return { tail, given: renderPrefix(last), sent: renderPrefix(sent), again: renderPrefix(again) };
}

describeSessions('a gateway that remembers nothing', () => {
  it('there are recorded sessions', () => expect(sessions.length).toBeGreaterThan(0));

  it('a new gateway compresses the whole session again if the session has bound reasoning', async () => {
    for (const session of sessions) {
      const { sent, again } = await repeatLast(session, true);
      expect(again).toEqual(sent);
    }
  });

  it('if cache markers cover earlier messages, a new gateway changes only the newest messages of an unbound session', async () => {
    for (const session of sessions) {
      const { tail, given, again } = await repeatLast(session, false);
      expect(again.slice(0, tail)).toEqual(given.slice(0, tail));
    }
  });
});
