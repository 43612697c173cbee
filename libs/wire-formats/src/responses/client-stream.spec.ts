import type { StreamEvent } from '@gateway/interchange';
import { formatNamed } from '../formats.ts';

const { client, provider } = formatNamed('responses');
const defaults = { id: 'request-1', model: 'm', createdAt: 1, includesUsage: true };

function readStream(given: readonly StreamEvent[]): Record<string, unknown>[] {
  const renderer = client.openStreamRenderer(defaults);
  const text = given.map((event) => Buffer.from(renderer.render(event)).toString()).join('');
  return [...text.matchAll(/^data: (.*)$/gm)].map(
    ([, data = '{}']) => JSON.parse(data) as Record<string, unknown>,
  );
}

it('a rendered stream gives each text of a reasoning item its own events and its own index', () => {
  const texts = [
    ['reasoning_summary_text', 'summary_index', 0, 'One is '],
    ['reasoning_summary_text', 'summary_index', 0, 'odd.'],
    ['reasoning_summary_text', 'summary_index', 1, 'Two is even.'],
    ['reasoning_text', 'content_index', 0, 'Hm.'],
  ] as const;
  const reasoning = {
    ...{ id: 'rs_1', type: 'reasoning' },
    summary: ['One is odd.', 'Two is even.'].map((text) => ({ type: 'summary_text', text })),
    content: [{ type: 'reasoning_text', text: 'Hm.' }],
  };
  const response = { id: 'resp_1', status: 'completed', output: [reasoning] };
  const end = [
    { type: 'response.output_item.done', output_index: 0, item: reasoning },
    { type: 'response.completed', response },
  ];
  const deltas = texts.map(([name, member, index, delta]) => ({
    ...{ type: `response.${name}.delta`, output_index: 0, [member]: index, delta },
  }));
  const encode = (given: readonly object[]): Buffer =>
    Buffer.from(given.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''));
  for (const given of [[...deltas, ...end], end]) {
    const rendered = readStream(provider.openStreamParser().push(encode(given)));
    const shown = rendered.flatMap(({ type, summary_index, content_index, delta, text, part }) => {
      const index = summary_index ?? content_index;
      return index === undefined
        ? []
        : [[String(type).slice(9), index, text ?? (part as { text: string } | undefined)?.text ?? delta]];
    });
    const finished = shown.filter(([type]) => !String(type).endsWith('delta'));
    expect(finished).toEqual([
      ['reasoning_summary_part.added', 0, ''],
      ['reasoning_summary_text.done', 0, 'One is odd.'],
      ['reasoning_summary_part.done', 0, 'One is odd.'],
      ['reasoning_summary_part.added', 1, ''],
      ['reasoning_summary_text.done', 1, 'Two is even.'],
      ['reasoning_summary_part.done', 1, 'Two is even.'],
      ['content_part.added', 0, ''],
      ['reasoning_text.done', 0, 'Hm.'],
      ['content_part.done', 0, 'Hm.'],
    ]);
    const joined = shown
      .filter(([type]) => String(type).endsWith('delta'))
      .map(([, index, text]) => [index, text]);
    const whole = [
      [0, 'One is odd.'],
      [1, 'Two is even.'],
      [0, 'Hm.'],
    ];
    expect(joined).toEqual(given === end ? whole : texts.map(([, , index, text]) => [index, text]));
    expect(rendered.at(-1)).toMatchObject({ response: { output: [reasoning] } });
  }
});

it('a stream that continues after a frame of the provider continues the numbers of the events', () => {
  const lastFrame = Buffer.from(
    'data: {"type":"x","sequence_number": 41,"delta":"\\"sequence_number\\":7"}\n\n',
  );
  const renderer = client.openStreamRenderer({ ...defaults, lastFrame });
  expect(renderer.render({ type: 'error', message: 'Broken.' })).toContain('"sequence_number":42');
});
