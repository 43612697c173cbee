import { loadCatalog } from '@gateway/model-catalog';
import type { Target } from '../../../request/request.ts';
import { AnswerBody, readWhole } from '../../../upstream/answer-body.ts';
import type { ChatAnswer } from '../../exchange/answer.ts';
import { openExchange } from '../../exchange/exchange.fixture.ts';
import type { BoundPlan, Outbound } from '../../exchange/tool-plan.ts';
import { sendBound, type GuardServices, type SentRequest } from './guard-binding.ts';

const nothing = (): undefined => undefined;
const target = {
  ...{ provider: { name: 'anthropic' }, model: 'claude-opus-5-5' },
  lane: { kind: 'same-format', format: 'messages' },
} as Target;
const whole = Buffer.from('{"messages":[]}');
const outbound = { body: whole, bodyFor: () => whole } as unknown as Outbound;
const rejection = 'The block is bound to a different conversation.';

/**
 * Sends one client request and lists the requests that were sent to the provider. The first provider response
 * has status 400.
 */
async function guard(
  fill: (body: AnswerBody) => void,
  given: Partial<BoundPlan> = {},
  unloadedBodyFor?: () => Buffer,
) {
  const sent: string[] = [];
  const requests: SentRequest[] = [];
  const outcomes: string[] = [];
  let remembered = 0;
  const send = (request: SentRequest): Promise<ChatAnswer> => {
    requests.push(request);
    sent.push(Buffer.from(request.body).toString());
    const body = new AnswerBody({ pause: nothing, resume: nothing, abort: nothing });
    if (sent.length === 1) fill(body);
    return Promise.resolve({ status: sent.length === 1 ? 400 : 200, body } as ChatAnswer);
  };
  const bound = { mayBeOurs: true, dropsBlocks: false, remember: () => (remembered += 1), ...given };
  const services = {
    metrics: { boundRejections: { inc: ({ outcome }: { outcome: string }) => outcomes.push(outcome) } },
    log: { error: nothing, warn: nothing },
    catalog: loadCatalog(),
  } as unknown as GuardServices;
  const answer = await sendBound(
    { ...outbound, unloadedBodyFor },
    bound,
    target,
    openExchange(),
    send,
    services,
  );
  return { answer, sent, requests, outcomes, remembered };
}

const saying = (text: string) => (body: AnswerBody) => {
  body.push(Buffer.from(text));
  body.end();
};

it('a request with rejected bound reasoning is sent again without the reasoning, and the rejection is remembered', async () => {
  const { answer, sent, outcomes, remembered } = await guard(saying(rejection));
  expect(answer.status).toBe(200);
  expect(sent[1]).toContain('"prefix_mismatch_behavior":"drop_block"');
  expect([sent.length, outcomes, remembered]).toEqual([2, ['dropped'], 1]);
});

it('a fallback gets the setting and its beta only if its model rejects bound reasoning', async () => {
  const { requests } = await guard(saying(rejection));
  const [, again] = requests;
  const settingFor = (model: string) => {
    const other = { ...target, model };
    const hasSetting = Buffer.from(again!.bodyFor(other)).includes('drop_block');
    return [hasSetting, again!.betaFor?.(other) !== undefined];
  };
  expect(settingFor('claude-sonnet-5-5')).toEqual([true, true]);
  expect(settingFor('claude-haiku-4-5')).toEqual([false, false]);
});

it('a turn with rejected loaded tools is sent again without them, and the conversation loads no tools', async () => {
  let withdrawn = 0;
  const withdraw = () => Promise.resolve(void (withdrawn += 1));
  const { answer, sent } = await guard(saying('tool_addition: unknown type'), { withdraw }, () =>
    Buffer.from('{"messages":[{}]}'),
  );
  expect([answer.status, sent, withdrawn]).toEqual([200, [whole.toString(), '{"messages":[{}]}'], 1]);
});

it.each([
  ['another error', 'max_tokens: must be positive', {}, []],
  ['a rejection that the gateway did not cause', rejection, { mayBeOurs: false }, ['relayed']],
  ['an error of any length', 'x'.repeat(200_000), {}, []],
])('%s is relayed with unchanged bytes', async (_, text, bound, counted) => {
  const { answer, sent, outcomes } = await guard(saying(text), bound);
  expect(answer.status).toBe(400);
  expect((await readWhole(answer.body, 1_000_000)).bytes.toString()).toBe(text);
  expect([sent.length, outcomes]).toEqual([1, counted]);
});

it('a broken error response is passed to the relay, which may try another candidate', async () => {
  const broken = new Error('the connection was reset');
  const { answer, sent } = await guard((body) => {
    body.push(Buffer.from(rejection));
    setImmediate(() => body.fail(broken));
  });
  await expect(readWhole(answer.body, 1_000_000)).rejects.toBe(broken);
  expect(sent).toHaveLength(1);
});
