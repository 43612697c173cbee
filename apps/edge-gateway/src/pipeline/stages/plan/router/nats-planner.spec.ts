import { defineTools, planTools, planToolsAt, type DefineToolsRequest } from '@gateway/contracts';
import { TimeShare, type Messaging } from '@gateway/messaging';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { NatsPlanner, newToolsShare } from './nats-planner.adapter.ts';
import { ToolListHasher } from './tool-list-hasher.ts';
import type { PlanQuestion, PlanSubject } from './planner.port.ts';

const question = { accountId: 'a', userTurns: ['Find it'] } as unknown as PlanQuestion;
const planned = { status: 'planned', forwarded: [0] };

function subjectWith(tools: readonly object[]): PlanSubject {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', messages: [], tools }));
  const tape = scanJson(bytes, { depthMax: 128, valuesMax: 1_000_000 });
  const format = formatNamed('chat-completions');
  const outline = format.client.outlineRequest(tape);
  return { format, tape, tools: outline.tools, list: new ToolListHasher().hashesOf(bytes, outline.tools) };
}

it('sends the definitions of a long list in messages that the router parses in a few milliseconds', async () => {
  const tools = Array.from({ length: 2_000 }, (_, at) => ({
    type: 'function',
    function: { name: `tool_${at}`, description: 'Does the work. '.repeat(at === 7 ? 20_000 : 20) },
  }));
  const subject = subjectWith(tools);
  const sent: DefineToolsRequest[] = [];
  let isKnown = false;
  const call = (contract: unknown, request: unknown) => {
    if (contract === defineTools) {
      sent.push(request as DefineToolsRequest);
      return Promise.resolve({ known: 0 });
    }
    if (contract === planTools && !isKnown) {
      isKnown = true;
      return Promise.resolve({ status: 'unknown', missing: subject.list.toolHashes, instanceId: 'one' });
    }
    if (contract === planToolsAt) return Promise.resolve(planned);
    return Promise.resolve({ assessed: 0 });
  };
  const planner = new NatsPlanner({ call } as unknown as Messaging, 150);
  expect(await planner.selectTools(subject, question, new AbortController().signal)).toBe(planned);
  const defined = sent.flatMap((message) => message.tools);
  expect(defined.map(({ hash }) => hash)).toEqual(subject.list.toolHashes);
  expect(defined.map(({ name }) => name)).toEqual(tools.map((tool) => tool.function.name));
  expect(sent.length).toBeGreaterThan(4);
  const sizes = sent.map((message) => Buffer.byteLength(JSON.stringify(message)));
  // A single tool definition is longer than the usual message size.
  expect(sizes.filter((size) => size > 256 * 1024)).toHaveLength(1);
});

describe('an account that sends new tools in each request', () => {
  const open = () => {
    const defined = new Map<string, number>();
    const call = (contract: unknown, request: { accountId: string; tools: unknown[] }) => {
      if (contract === defineTools) {
        defined.set(request.accountId, (defined.get(request.accountId) ?? 0) + request.tools.length);
        return Promise.resolve({ known: 0 });
      }
      if (contract === planTools) {
        const { toolHashes: missing } = request as unknown as { toolHashes: string[] };
        return Promise.resolve({ status: 'unknown', missing, instanceId: 'one' });
      }
      return Promise.resolve(contract === planToolsAt ? planned : { assessed: 0, results: [] });
    };
    const share = new TimeShare({ ...newToolsShare, now: () => 0 });
    return { planner: new NatsPlanner({ call } as unknown as Messaging, 150, share), defined };
  };
  let lists = 0;
  const plan = async (planner: NatsPlanner, accountId: string, count: number, description = '') => {
    lists += 1;
    const tools = Array.from({ length: count }, (_, at) => ({
      type: 'function',
      function: { name: `tool_${lists}_${at}`, description },
    }));
    const asked = { ...question, accountId };
    const { signal } = new AbortController();
    return planner.selectTools(subjectWith(tools), asked, signal).catch((error: unknown) => error);
  };

  it('gets plans only within its share while another account is active, and the other account gets every plan', async () => {
    const { planner, defined } = open();
    expect(await plan(planner, 'quiet', 10)).toBe(planned);
    const outcomes: unknown[] = [];
    for (let at = 0; at < 10; at += 1) {
      outcomes.push(await plan(planner, 'busy', 4_096));
      expect(await plan(planner, 'quiet', 10)).toBe(planned);
    }
    expect(outcomes[0]).toBe(planned);
    expect(outcomes.at(-1)).toMatchObject({ code: 'rate_limit_exceeded' });
    expect(defined.get('busy')).toBe(5 * 4_096);
    expect(defined.get('quiet')).toBe(110);
  });

  it('gets plans without a limit while no other account is active', async () => {
    const { planner, defined } = open();
    for (let at = 0; at < 8; at += 1) expect(await plan(planner, 'busy', 4_096)).toBe(planned);
    expect(defined.get('busy')).toBe(8 * 4_096);
  });

  it('is limited even if the other active account only has its definitions compressed', async () => {
    const { planner } = open();
    const { signal } = new AbortController();
    await planner.compressSchemas(subjectWith([]), { accountId: 'quiet' }, 'lossless', signal);
    const outcomes: unknown[] = [];
    for (let at = 0; at < 10; at += 1) outcomes.push(await plan(planner, 'busy', 4_096));
    expect(outcomes.at(-1)).toMatchObject({ code: 'rate_limit_exceeded' });
  });

  it('uses nothing of its share for a list that is too long to be sent', async () => {
    const { planner } = open();
    await plan(planner, 'quiet', 1);
    for (let at = 0; at < 10; at += 1)
      expect(await plan(planner, 'busy', 4_096, 'long '.repeat(400))).toMatchObject({
        code: 'service_unavailable',
      });
    expect(await plan(planner, 'busy', 4_096)).toBe(planned);
  });
});
