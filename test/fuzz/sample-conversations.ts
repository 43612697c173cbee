import fc from 'fast-check';
import type { ContextBlock } from '../../apps/compressor/src/compress-blocks/context-block.ts';

/**
 * The lines that a conversation consists of. There are only few different lines, so that lines repeat within a
 * conversation. Some lines look like references or markers.
 */
const line = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .nat({ max: 30 })
      .map((at) => `line ${at} of a text that says ${'something '.repeat(at % 4)}`),
  },
  {
    weight: 6,
    arbitrary: fc.nat({ max: 60 }).map((at) => `${at}:    return self.value_${at % 20}(x)  # ${at % 7}`),
  },
  {
    weight: 4,
    arbitrary: fc
      .nat({ max: 999 })
      .map((at) => `2026-11-20T10:00:${at} INFO [worker] request ${at} done in ${at} ms`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '',
      '   ',
      '}',
      'ERROR: /var/lib/app.py not found',
      '\x1b[31mred\x1b[0m plain  ',
      'a\rbb\rc',
      '50%\r100% ok\r',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '[3 lines as above, from "a" to "b"]',
      '[same as above: "line 1…"]',
      '[lines 1-3 as above]',
      '[… 3 lines left out: 0123456789ab]',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replaceAll('\n', ' ')),
  },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'grapheme', maxLength: 80 })
      .map((text) => text.replaceAll('\n', ' ').repeat(3)),
  },
);
const paragraph = fc.array(line, { minLength: 1, maxLength: 20 }).map((lines) => lines.join('\n'));
const logs = fc
  .tuple(fc.nat({ max: 500 }), fc.nat({ max: 150 }))
  .map(([from, count]) =>
    Array.from(
      { length: count },
      (_, at) => `10:00:${from + at} served /orders/${from * at} in ${at % 90} ms`,
    ).join('\n'),
  );
const blob = fc.nat({ max: 3000 }).map((length) => `data: ${'QWxhZGRpbjpvcGVu1Z'.repeat(length / 9)} end`);

const record = fc.record(
  {
    id: fc.oneof(fc.nat(), fc.constant('BIG')),
    name: fc.string({ maxLength: 12 }),
    price: fc.double({ noNaN: true, noDefaultInfinity: true }),
    seats: fc.record({ economy: fc.nat(), business: fc.nat() }),
    tags: fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }),
    'odd.name': fc.boolean(),
  },
  { requiredKeys: ['id', 'name', 'seats'] },
);
const records = fc.oneof(
  fc.array(record, { maxLength: 12 }),
  fc.array(fc.array(record, { minLength: 1, maxLength: 3 }), { maxLength: 6 }),
  fc.dictionary(fc.string({ maxLength: 8 }), record, { maxKeys: 8 }),
  fc.jsonValue({ maxDepth: 4 }),
);
/** JSON text with arbitrary whitespace, and with numbers that parsing would change. */
export const json = fc
  .tuple(
    records,
    fc.constantFrom(undefined, 1, 4, '\t'),
    fc.constantFrom('12345678901234567890', '1.0', '-0', '1E+2'),
  )
  .map(([value, space, number]) => JSON.stringify(value, null, space).replaceAll('"BIG"', number));

const text = fc.oneof(
  { weight: 5, arbitrary: paragraph },
  { weight: 3, arbitrary: json },
  { weight: 1, arbitrary: logs },
  { weight: 1, arbitrary: blob },
);
const block = fc.record({
  speaker: fc.constantFrom('user', 'assistant', 'tool', 'tool', 'tool', 'system'),
  text,
  old: fc.boolean(),
  frozen: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
}) satisfies fc.Arbitrary<ContextBlock>;

/** A conversation in which some context blocks repeat, with or without an extra line. */
export const conversation: fc.Arbitrary<ContextBlock[]> = fc
  .tuple(
    fc.array(block, { minLength: 1, maxLength: 5 }),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 })), { maxLength: 5 }),
  )
  .map(([blocks, repeats]) => [
    ...blocks,
    ...repeats.map(([at, change]): ContextBlock => {
      const again = blocks[at % blocks.length] as ContextBlock;
      const suffix = ['', '\none more line that is new', '\n'][change] ?? '';
      return { speaker: 'tool', text: again.text + suffix, frozen: false };
    }),
  ]);
