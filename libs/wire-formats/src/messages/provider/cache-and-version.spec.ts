import type { ChatMessage } from '@gateway/interchange';
import { formatNamed } from '../../formats.ts';
import { messages } from '../messages.ts';
import { chooseMessagesVersion } from './render-request.ts';
import { fromChat, parse, say } from './render-request.fixture.ts';

describe('cache markers between formats', () => {
  const marker = { cache_control: { type: 'ephemeral', ttl: '1h' } };
  const schema = { type: 'object' };

  it('from Chat Completions keep their positions in all parts of the request', () => {
    const { body, fields } = fromChat({
      messages: [
        { role: 'system', content: 's', ...marker },
        { role: 'user', content: [{ type: 'text', text: 'a', ...marker }] },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: schema }, ...marker }],
    });
    expect(body).toMatchObject({
      system: [{ type: 'text', text: 's', ...marker }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'a', ...marker }] }],
      tools: [{ name: 'f', input_schema: schema, ...marker }],
    });
    expect(fields).toEqual([]);
  });

  it('are reported as a loss in Chat Completions, like a thinking budget', () => {
    const request = parse(messages, {
      model: 'm',
      system: [{ type: 'text', text: 's', ...marker }],
      messages: [{ role: 'user', content: 'a' }],
      tools: [{ name: 'f', input_schema: schema, ...marker }],
      thinking: { type: 'enabled', budget_tokens: 2000 },
    });
    const { losses } = formatNamed('chat-completions').provider.renderRequest(request, { model: 'm' });
    expect(losses.map(({ field }) => field)).toEqual([
      'messages[0].parts[0].cache_control',
      'tools[0].cache_control',
      'thinking',
    ]);
  });
});

describe("a request's API version", () => {
  const sampled = { temperature: 0.5, top_p: 0.9 };

  it('is the newest version, unless the newest version rejects the request', () => {
    const version = (body: object) =>
      chooseMessagesVersion(
        parse(messages, { model: 'm', messages: [{ role: 'user', content: 'x' }], ...body }),
      );
    expect(version({})).toBe('2026-10-21');
    expect(version({ temperature: 1 })).toBe('2023-06-01');
    expect(version({ top_k: 1 })).toBe('2023-06-01');
    const source = { type: 'text', media_type: 'text/plain', data: 'x' };
    const ofAssistant = { role: 'assistant', content: [{ type: 'document', source }] };
    expect(version({ messages: [ofAssistant] })).toBe('2023-06-01');
  });

  it('determines whether sampling settings are sent or lost', () => {
    const older = fromChat(sampled);
    expect([older.body.temperature, older.body.top_p, older.fields]).toEqual([0.5, 0.9, []]);
    const newer = fromChat(sampled, { apiVersion: '2026-10-21' });
    expect([newer.body.temperature, newer.body.top_p]).toEqual([undefined, undefined]);
    expect(newer.fields).toEqual(['temperature', 'top_p']);
  });

  it('causes the loss of documents in assistant messages and citations in user messages if the version rejects them', () => {
    const options = { apiVersion: '2026-10-21' };
    const source = { kind: 'url', url: 'https://d.test' } as const;
    const ofAssistant: ChatMessage = { role: 'assistant', parts: [{ type: 'document', source }] };
    expect(say(ofAssistant, options)).toMatchObject({
      body: { messages: [] },
      fields: ['messages[0].document'],
    });
    const cited = { type: 'text', text: 'a', citations: [{ url: 'https://c.test' }] } as const;
    expect(say({ role: 'user', parts: [cited] }, options)).toMatchObject({
      body: { messages: [{ content: 'a' }] },
      fields: ['messages[0].text'],
    });
  });
});
