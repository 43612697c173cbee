import { foldAnswer } from './chat-answer.ts';
import { qualifyTool, unqualifyTool } from './request-outline.ts';
import { mergeExtensions, type OwnExtensions } from './extensions.ts';
import type { StreamEvent } from './stream-event.ts';

describe('foldAnswer', () => {
  it('orders choices by index and parts by block, even when their events interleave', () => {
    const events: StreamEvent[] = [
      { type: 'tool-call-start', choice: 1, block: 1, id: 'c', name: 'f', kind: 'function' },
      { type: 'text-start', choice: 1, block: 0 },
      { type: 'text-start', choice: 0, block: 0 },
      { type: 'tool-call-delta', choice: 1, block: 1, argumentsText: '{}' },
      { type: 'text-delta', choice: 0, block: 0, text: 'a' },
      { type: 'text-delta', choice: 1, block: 0, text: 'b' },
      { type: 'text-delta', choice: 0, block: 0, text: 'c' },
    ];
    expect(foldAnswer(events).choices.map(({ index, parts }) => ({ index, parts }))).toEqual([
      { index: 0, parts: [{ type: 'text', text: 'ac' }] },
      {
        index: 1,
        parts: [
          { type: 'text', text: 'b' },
          { type: 'tool-call', id: 'c', name: 'f', kind: 'function', argumentsText: '{}' },
        ],
      },
    ]);
  });

  it('keeps citations with their text and in order, and keeps redacted reasoning', () => {
    const { parts } = foldAnswer([
      { type: 'thinking-start', choice: 0, block: 0 },
      { type: 'thinking-end', choice: 0, block: 0, redacted: 'r' },
      { type: 'text-start', choice: 0, block: 1 },
      { type: 'text-delta', choice: 0, block: 1, text: 'a' },
      { type: 'citation', choice: 0, block: 1, citation: { title: 'one' } },
      { type: 'citation', choice: 0, block: 1, citation: { url: 'https://two.test' } },
      { type: 'text-end', choice: 0, block: 1 },
    ]).choices[0]!;
    expect(parts).toEqual([
      { type: 'thinking', text: '', redacted: 'r' },
      { type: 'text', text: 'a', citations: [{ title: 'one' }, { url: 'https://two.test' }] },
    ]);
  });

  it('takes constant time per citation', () => {
    const cited = 200_000;
    const event: StreamEvent = { type: 'citation', choice: 0, block: 0, citation: { title: 't' } };
    const before = process.cpuUsage();
    const answer = foldAnswer([
      { type: 'text-start', choice: 0, block: 0 },
      ...Array.from({ length: cited }, () => event),
    ]);
    expect(answer.choices[0]?.parts).toMatchObject([{ citations: { length: cited } }]);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
  });

  it('keeps the reasoning signature and only the last usage', () => {
    const answer = foldAnswer([
      { type: 'thinking-start', choice: 0, block: 0 },
      { type: 'thinking-end', choice: 0, block: 0, signature: 's' },
      { type: 'usage', usage: { inputTokens: 1, outputTokens: 1 }, extensions: { gemini: { a: 1 } } },
      { type: 'usage', usage: { inputTokens: 1, outputTokens: 2 }, extensions: { gemini: { b: 2 } } },
    ]);
    expect(answer.choices[0]?.parts).toEqual([{ type: 'thinking', text: '', signature: 's' }]);
    expect(answer.usage).toEqual({ inputTokens: 1, outputTokens: 2 });
    expect(answer.extensions).toEqual({ gemini: { usage: { b: 2 } } });
  });

  it('takes time proportional to the number of token probabilities', () => {
    const extensions = { 'chat-completions': { logprobs: { content: [{ token: 'a' }, { token: 'b' }] } } };
    const piece = { type: 'extension', scope: 'choice', choice: 0, extensions } as const;
    const [choice] = foldAnswer(Array.from({ length: 100_000 }, () => piece)).choices;
    const { content } = choice!.extensions['chat-completions']!.logprobs as { content: unknown[] };
    expect(content).toHaveLength(200_000);
    expect(extensions['chat-completions'].logprobs.content).toHaveLength(2);
  });
});

describe('mergeExtensions', () => {
  it('appends lists, merges objects and replaces other values, for each format separately', () => {
    const earlier = { gemini: { list: [1], object: { a: 1 }, word: 'x', data: 'ab' } };
    const later = { gemini: { list: [2], object: { b: 2 }, word: 'y', data: 'cd' }, cohere: { word: 'z' } };
    const merged: OwnExtensions = {};
    for (const each of [earlier, later]) mergeExtensions(merged, each);
    expect(merged).toEqual({
      gemini: { list: [1, 2], object: { a: 1, b: 2 }, word: 'y', data: 'abcd' },
      cohere: { word: 'z' },
    });
    expect(earlier.gemini).toEqual({ list: [1], object: { a: 1 }, word: 'x', data: 'ab' });
  });

  it('does not let a field change an object’s prototype', () => {
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":true},"a":{"__proto__":{"polluted":true}}}',
    ) as object;
    const merged: OwnExtensions = { gemini: { a: {} } };
    mergeExtensions(merged, { gemini: { ...hostile } });
    expect((merged.gemini?.a as { polluted?: boolean }).polluted).toBeUndefined();
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

it('a tool of a namespace gets a unique name, and a deferred function keeps its own name', () => {
  expect(qualifyTool('crm', 'find')).toBe('crm.find');
  expect(qualifyTool(undefined, 'find')).toBe('find');
  expect(qualifyTool('find', 'find')).toBe('find');
  expect(unqualifyTool({ namespace: 'crm', name: 'crm.find' })).toBe('find');
  expect(unqualifyTool({ namespace: 'find', name: 'find' })).toBe('find');
});
