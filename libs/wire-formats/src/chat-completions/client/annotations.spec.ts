import { foldAnswer, type StreamEvent } from '@gateway/interchange';
import { chatCompletions } from '../chat-completions.ts';

const { client } = chatCompletions;
const defaults = { id: 'default', model: 'claude', createdAt: 7 };

describe('citations from another format', () => {
  const cited = (block: number, text: string, ...urls: (string | undefined)[]): StreamEvent[] => [
    { type: 'text-start', choice: 0, block },
    { type: 'text-delta', choice: 0, block, text },
    ...urls.map((url): StreamEvent => ({
      type: 'citation',
      choice: 0,
      block,
      citation: { citedText: 'words', title: 'A page', ...(url === undefined ? {} : { url }) },
    })),
    { type: 'text-end', choice: 0, block },
  ];
  const answer: StreamEvent[] = [
    { type: 'message-start', format: 'messages', id: 'msg_1' },
    ...cited(0, 'Says \u{1f600}: '),
    ...cited(1, 'it rains', 'https://a.example', 'https://a.example', 'document-1', undefined),
    ...cited(2, '!', 'https://b.example'),
    { type: 'finish', choice: 0, reason: 'stop', rawReason: 'end_turn' },
    { type: 'message-end' },
  ];
  const annotation = (start: number, end: number, url: string) => ({
    type: 'url_citation',
    url_citation: { start_index: start, end_index: end, title: 'A page', url },
  });
  // Annotation positions are measured in code points, and the emoji is a single code point.
  const annotations = [annotation(8, 16, 'https://a.example'), annotation(16, 17, 'https://b.example')];

  it('citations from another format become annotations with the URLs of the cited web pages', () => {
    const { choices } = client.renderResponse(foldAnswer(answer), defaults);
    expect(choices).toEqual([expect.objectContaining({ message: expect.objectContaining({ annotations }) })]);
  });

  it('citations are sent only with the finish chunk of a stream', () => {
    const renderer = client.openStreamRenderer({ ...defaults, includesUsage: false });
    const frames = answer.map((event) => String(renderer.render(event))).filter((text) => text !== '');
    const annotated = frames.filter((frame) => frame.includes('annotations'));
    expect(annotated).toHaveLength(1);
    expect(JSON.parse((annotated[0] ?? '').replace('data: ', ''))).toMatchObject({
      choices: [{ delta: { annotations }, finish_reason: 'stop' }],
    });
  });

  it('the response to a message without citations contains no annotations', () => {
    const silent = answer.filter(({ type }) => type !== 'citation');
    expect(JSON.stringify(client.renderResponse(foldAnswer(silent), defaults))).not.toContain('annotations');
  });
});
