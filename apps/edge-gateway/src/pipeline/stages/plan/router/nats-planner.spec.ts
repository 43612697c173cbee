import { defineTools, planTools, planToolsAt, type DefineToolsRequest } from '@gateway/contracts';
import type { Messaging } from '@gateway/messaging';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { NatsPlanner } from './nats-planner.adapter.ts';
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
  // One definition exceeds the usual size of a message.
  expect(sizes.filter((size) => size > 256 * 1024)).toHaveLength(1);
});
