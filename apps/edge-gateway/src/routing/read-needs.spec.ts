import { Conversation } from '../request/conversation.ts';
import type { ClientFormat } from '@gateway/interchange';
import { formatNamed, scanJson } from '@gateway/wire-formats';
import { readNeeds, readTask } from './read-needs.ts';

function parse(format: ClientFormat, body: object) {
  const bytes = Buffer.from(JSON.stringify(body));
  const tape = scanJson(bytes, { depthMax: 128 });
  const route = format === 'converse' ? { model: 'svc/auto', stream: false } : undefined;
  const outline = formatNamed(format).client.outlineRequest(tape, route);
  const conversation = new Conversation(outline, bytes, null);
  return { bytes, tape, outline, conversation, ownCredential: null };
}

const needsOf = (format: ClientFormat, body: object) => readNeeds(parse(format, body), 4);
const model = 'svc/auto';
const user = (content: unknown) => [{ role: 'user', content }];
const picture = 'A'.repeat(400_000);

describe('the capabilities that a request needs', () => {
  it.each<[ClientFormat, object, object]>([
    ['chat-completions', { model, messages: user('hi') }, { tools: false, images: false, jsonMode: false }],
    [
      'chat-completions',
      { model, messages: user('say "image_url" and "document"'), response_format: { type: 'text' } },
      { images: false, documents: false, jsonMode: false },
    ],
    [
      'chat-completions',
      {
        model,
        stream: true,
        max_tokens: 9,
        messages: user([{ type: 'image_url', image_url: { url: 'data:' } }]),
        response_format: { type: 'json_object' },
        reasoning_effort: 'high',
      },
      { images: true, jsonMode: true, streaming: true, thinking: true, outputTokensMax: 9 },
    ],
    [
      'messages',
      {
        model,
        max_tokens: 10,
        messages: user([
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA' } },
        ]),
        thinking: { type: 'disabled' },
        tools: [{ name: 't', input_schema: { type: 'object' } }],
      },
      { documents: true, images: false, tools: true, thinking: false },
    ],
    [
      'converse',
      { messages: user([{ image: { format: 'png', source: { bytes: 'AA' } } }]) },
      { images: true, documents: false, tools: false },
    ],
  ])('%s %j', (format, body, needs) => {
    expect(needsOf(format, body)).toMatchObject(needs);
  });

  it('do not count the bytes of images as text', () => {
    const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }];
    expect(needsOf('chat-completions', { model, messages: user(content) }).inputTokens).toBeLessThan(5_000);
    const text = { model, messages: user('word '.repeat(20_000)) };
    expect(needsOf('chat-completions', text).inputTokens).toBeGreaterThan(20_000);
  });
});

describe('a conversation key', () => {
  const nameOf = (messages: object[], client: string | null = null) => {
    const { outline, bytes } = parse('messages', { model, max_tokens: 5, messages });
    return new Conversation(outline, bytes, client).agentKey;
  };
  const begun = [
    { role: 'user', content: [{ type: 'text', text: 'Find it.', cache_control: { type: 'ephemeral' } }] },
  ];
  const gone = [
    ...user([{ type: 'text', text: 'Find it.' }]),
    { role: 'assistant', content: 'Found.' },
    ...user('Thanks.'),
  ];

  it('is the same in every turn, regardless of cache markers', () => {
    expect(nameOf(gone)).toBe(nameOf(begun));
    expect(nameOf(user('Find another.'))).not.toBe(nameOf(begun));
  });

  it('depends on the client’s session id if there is one', () => {
    expect(nameOf(gone, 's')).toBe(nameOf(user('Anything.'), 's'));
    expect(nameOf(gone, 's')).not.toBe(nameOf(gone));
  });

  it('depends on the first task of the conversation', () => {
    expect(readTask(parse('messages', { model, max_tokens: 5, messages: gone }).outline)).toBe('Find it.');
  });
});
