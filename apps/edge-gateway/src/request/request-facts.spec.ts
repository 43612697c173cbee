import type { ClientFormat } from '@gateway/interchange';
import { loadCatalog } from '@gateway/model-catalog';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { isReasoningBound, isResponseStored } from './request-facts.ts';
import type { Lane, Target } from './request.ts';

const catalog = loadCatalog();
const signed = { type: 'thinking', thinking: '', signature: 'Eq/B==' };
const first = { role: 'user', content: 'Close issue 7.' };

interface Asked {
  readonly format?: ClientFormat;
  readonly lane?: Lane['kind'];
  readonly body?: object;
}

function isBound(id: string, { format = 'messages', lane = 'same-format', body = {} }: Asked = {}): boolean {
  const [provider = '', model = ''] = id.split('/');
  const request =
    format === 'converse'
      ? { messages: [{ role: 'user', content: [{ text: 'Go.' }] }] }
      : { model, messages: [first] };
  const tape = scanJson(Buffer.from(JSON.stringify({ ...request, ...body })), { depthMax: 128 });
  const target = { model, lane: { kind: lane, format } } as Pick<Target, 'model' | 'lane'>;
  const outline = formatNamed(format).client.outlineRequest(tape, { model, stream: false });
  return isReasoningBound({ tape, outline }, target, catalog.find(provider, model));
}

const off = { thinking: { type: 'disabled' } };
const on = { thinking: { type: 'adaptive' } };
const carrying = { messages: [first, { role: 'assistant', content: [signed] }] };

describe('reasoning binds the conversation to its prefix', () => {
  test.each(['anthropic/claude-opus-5-5', 'anthropic/claude-sonnet-5-5', 'anthropic/claude-fable-5-2'])(
    'with %s: from the first turn on, with and without a thinking field',
    (id) => {
      expect(isBound(id)).toBe(true);
      expect(isBound(id, { body: on })).toBe(true);
      expect(isBound(id, { body: { thinking: { type: 'between_tools' } } })).toBe(true);
      expect(isBound(id, { body: carrying })).toBe(true);
    },
  );

  test('unless the client disables reasoning and the transcript contains no signatures', () => {
    expect(isBound('anthropic/claude-haiku-5-5', { body: off })).toBe(false);
    expect(isBound('anthropic/claude-haiku-5-5', { body: { ...off, ...carrying } })).toBe(true);
  });

  test('in the Converse format as well, where the thinking field is among the additional fields', () => {
    const id = 'hosted/us.anthropic.claude-haiku-5-5';
    expect(isBound(id, { format: 'converse' })).toBe(true);
    expect(isBound(id, { format: 'converse', body: { additionalModelRequestFields: off } })).toBe(false);
  });

  test('even if an edit only causes the model to drop reasoning', () => {
    expect(isBound('openai/gpt-6.2-sol', { format: 'chat-completions' })).toBe(true);
  });

  test.each(['claude-opus-5', 'claude-sonnet-5', 'claude-opus-4-8', 'claude-sonnet-4-6'])(
    'never if the model is %s, even with signatures in the transcript',
    (model) => {
      expect(isBound(`anthropic/${model}`, { body: on })).toBe(false);
      expect(isBound(`anthropic/${model}`, { body: { ...on, ...carrying } })).toBe(false);
    },
  );
});

describe('a transcript whose format cannot contain signed reasoning', () => {
  test('is not bound: chat-completions translated to another format', () => {
    const id = 'anthropic/claude-opus-5-5';
    expect(isBound(id, { format: 'chat-completions', lane: 'translated' })).toBe(false);
    expect(
      isBound(id, { format: 'chat-completions', lane: 'translated', body: { reasoning_effort: 'high' } }),
    ).toBe(false);
    expect(isBound(id, { format: 'chat-completions' })).toBe(true);
  });
});

describe('a conversation with a model that is not in the catalogue', () => {
  test('is bound if the model’s family binds reasoning', () => {
    expect(isBound('anthropic/claude-opus-7')).toBe(true);
    expect(isBound('anthropic/claude-opus-7', { body: off })).toBe(false);
  });

  test('is bound by the thinking field or by signatures if the model’s family is unknown', () => {
    expect(isBound('acme/model-of-tomorrow')).toBe(false);
    expect(isBound('acme/model-of-tomorrow', { body: on })).toBe(true);
    expect(isBound('acme/model-of-tomorrow', { body: off })).toBe(false);
    expect(isBound('acme/model-of-tomorrow', { body: carrying })).toBe(true);
  });
});

const own: Lane = { kind: 'same-format', format: 'responses' };
const translated: Lane = { kind: 'translated', format: 'messages' };

it.each([
  [{}, own, true],
  [{ store: true }, own, true],
  [{ store: null }, own, true],
  [{ store: false }, own, false],
  [{}, translated, false],
])('a response to %j is stored by a provider with the lane %j: %s', (members, lane, expected) => {
  const tape = scanJson(Buffer.from(JSON.stringify({ model: 'm', input: 'x', ...members })), { depthMax: 9 });
  const outline = formatNamed('responses').client.outlineRequest(tape);
  expect(isResponseStored({ tape, outline }, { lane })).toBe(expected);
});
