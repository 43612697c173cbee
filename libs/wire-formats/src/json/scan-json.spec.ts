import fc from 'fast-check';
import { JsonDepthError, JsonFieldsError, JsonSyntaxError, JsonValuesError } from './json-tape.ts';
import type { JsonNode, JsonTape } from './json-tape.ts';
import { scanJson } from './scan-json.ts';

const scan = (text: string | Buffer, depthMax = 128): JsonTape =>
  scanJson(Buffer.from(text as string), { depthMax });

/** Generates arbitrary JSON text, with random whitespace between tokens and escapes in some strings. */
const jsonText = fc
  .tuple(
    fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }),
    fc.constantFrom(undefined, 1, '\t', '\r\n'),
    fc.boolean(),
  )
  .map(([value, space, escaped]) => {
    const text = JSON.stringify(value, undefined, space);
    return escaped ? text.replaceAll(/[\u0080-\uffff]/g, escapeUnit) : text;
  });

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/**
 * Generates JSON text with some bytes removed, duplicated or replaced. The damaged text resembles JSON but is
 * mostly invalid.
 */
const damagedText = fc
  .tuple(
    jsonText,
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom(
          '',
          '{',
          '}',
          '[',
          ']',
          ',',
          ':',
          '"',
          '\\',
          '0',
          '-',
          '.',
          'e',
          'x',
          ' ',
          '\n',
          'null',
          '\u0000',
          '\\u12',
          '\ufeff',
        ),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([text, damages]) => {
    let damaged = text;
    for (const [place, insert] of damages) {
      const at = place % (damaged.length + 1);
      damaged = damaged.slice(0, at) + insert + damaged.slice(at + (place % 3));
    }
    return damaged.toWellFormed();
  });

function parsedBy(read: () => unknown): { value: unknown } | 'refused' {
  try {
    return { value: read() };
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError);
    return 'refused';
  }
}

function scannedBy(text: string): { value: unknown } | 'refused' {
  try {
    const tape = scan(text);
    return { value: rebuild(tape, tape.root) };
  } catch (error) {
    expect(error).toBeInstanceOf(JsonSyntaxError);
    return 'refused';
  }
}

/** Builds a JavaScript value from the tape. Only numbers, booleans and null go through `JSON.parse`. */
function rebuild(tape: JsonTape, node: JsonNode): unknown {
  switch (tape.kind(node)) {
    case 'object':
      return Object.fromEntries(
        tape.entries(node).map(({ key, value }) => [tape.stringValue(key), rebuild(tape, value)]),
      );
    case 'array':
      return tape.items(node).map((item) => rebuild(tape, item));
    case 'string':
      return tape.stringValue(node);
    default:
      return tape.value(node);
  }
}

describe('scanJson', () => {
  it('reads the same values as JSON.parse', () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        expect(scannedBy(text)).toEqual({ value: JSON.parse(text) as unknown });
      }),
      { numRuns: 2000 },
    );
  });

  it('accepts and rejects the same corrupted texts as JSON.parse', () => {
    fc.assert(
      fc.property(damagedText, (text) => {
        expect(scannedBy(text)).toEqual(parsedBy(() => JSON.parse(text)));
      }),
      { numRuns: 5000 },
    );
  });

  it.each([
    '',
    ' ',
    '{',
    '[',
    '"',
    '"a',
    '[1,]',
    '{"a":1,}',
    '{,}',
    '[,1]',
    '{"a"}',
    '{"a":}',
    '{a:1}',
    "{'a':1}",
    '1 2',
    '[1]]',
    '{}{}',
    '01',
    '-',
    '-a',
    '1.',
    '.5',
    '1e',
    '1e+',
    '+1',
    '0x1',
    'NaN',
    'Infinity',
    'tru',
    'truE',
    'nul',
    'undefined',
    '"\t"',
    '"\n"',
    '"\\x"',
    '"\\u12g4"',
    '"\\u12',
    '"\\',
    '[1}',
    '{"a":1]',
    '\ufeff{}',
    '[1 2]',
    '{"a" 1}',
    '//',
    '\u00a01',
  ])('rejects %j', (text) => {
    expect(() => scan(text)).toThrow(JsonSyntaxError);
  });

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['a cut character', [0x22, 0xe2, 0x82, 0x22]],
  ])('rejects %s', (_, bytes) => {
    expect(() => scanJson(Uint8Array.from(bytes), { depthMax: 8 })).toThrow(JsonSyntaxError);
  });

  it('reports the byte offset of a syntax error', () => {
    expect(() => scan('{"é": tru}')).toThrow(expect.objectContaining({ offset: 7 }));
  });

  it('accepts nesting up to depthMax and no deeper', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(scan(nested(128)).items(0)).toHaveLength(1);
    expect(() => scan(nested(129))).toThrow(JsonDepthError);
    expect(() => scan('{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000))).toThrow(JsonDepthError);
    expect(() => scan('['.repeat(1_000_000))).toThrow(JsonDepthError);
  });

  it('accepts values and keys up to valuesMax and no more', () => {
    const valuesMax = 524_288;
    const list = (values: number): Buffer => Buffer.from(`[${'1,'.repeat(values - 2)}1]`);
    const tape = scanJson(list(valuesMax), { depthMax: 8, valuesMax });
    expect(tape.memoryBytes).toBe(valuesMax * 12);
    expect(() => scanJson(list(valuesMax + 1), { depthMax: 8, valuesMax })).toThrow(JsonValuesError);
  });

  it('accepts objects with up to fieldsMax fields and no more', () => {
    const object = (fields: number, value: string): string => `{${`"k":${value},`.repeat(fields - 1)}"k":1}`;
    for (const value of ['1', '{"a":[1,2]}', '[{"b":{}}]']) {
      const limits = { depthMax: 8, fieldsMax: 100 };
      const accepted = `[${object(100, value)},${object(100, object(100, '1'))}]`;
      expect(scanJson(Buffer.from(accepted), limits).items(0)).toHaveLength(2);
      expect(() => scanJson(Buffer.from(`[${object(101, value)}]`), limits)).toThrow(JsonFieldsError);
    }
    // The field limit does not count list elements or the fields of inner objects.
    const inner = `{"list":[${'1,'.repeat(1_000)}1],"objects":[${`${object(100, '1')},`.repeat(10)}1]}`;
    expect(scanJson(Buffer.from(inner), { depthMax: 8, fieldsMax: 100 }).entries(0)).toHaveLength(2);
  });

  it('compares keys with escapes by their decoded text', () => {
    const texts = ['model', 'mod', 'models', '', 'mödel', 'm\n', '"', 'a/b', '\\', '\u0000', '😀'];
    const spell = (text: string): string[] => [
      toEscapes(text),
      JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
      `${toEscapes(text.slice(0, 1))}${JSON.stringify(text.slice(1)).slice(1, -1)}`,
    ];
    for (const text of texts)
      for (const spelled of spell(text).filter((each) => each.isWellFormed())) {
        const tape = scan(`{"${spelled}":1}`);
        for (const other of texts) expect(tape.isString(1, other)).toBe(text === other);
      }
  });

  it('finds keys and string values anywhere, but no text inside another string', () => {
    const tape = scan('{"a":[{"signature":1}],"b":"say \\"secret\\" or secret","c":{"d":"value"}}');
    expect(tape.hasString(['signature'])).toBe(true);
    expect(tape.hasString(['other', 'value'])).toBe(true);
    for (const text of ['secret', 'sign', 'signature1', '']) expect(tape.hasString([text])).toBe(false);
    expect(scan('""').hasString([''])).toBe(true);
    expect(scan('[]').hasString(['a'])).toBe(false);
  });

  it('uses the last occurrence of a repeated key, like JSON.parse', () => {
    const text = '{"a":1,"b":2,"\\u0061":3}';
    const tape = scan(text);
    expect(tape.value(tape.get(tape.root, 'a')!)).toBe((JSON.parse(text) as { a: number }).a);
    expect(tape.entries(tape.root)).toHaveLength(3);
  });

  it('does not change an earlier tape when it scans another text', () => {
    const first = scan('{"model":"a","messages":[1,2,3]}');
    scan(`[${'{"x":[]},'.repeat(20_000)}0]`);
    expect(first.value(first.get(first.root, 'messages')!)).toEqual([1, 2, 3]);
  });

  it('applies its own depthMax after a deeper scan', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    for (const depthMax of [1000, 4, 2000, 128]) {
      expect(scan(nested(depthMax), depthMax).text(0)).toBe(nested(depthMax));
      expect(() => scan(nested(depthMax + 1), depthMax)).toThrow(JsonDepthError);
    }
  });

  it('scans a view in the middle of a larger buffer', () => {
    const large = Buffer.from('xx{"a":"é"}yy');
    const tape = scanJson(large.subarray(2, large.length - 2), { depthMax: 4 });
    expect(tape.stringValue(tape.get(tape.root, 'a'))).toBe('é');
  });
});

function toEscapes(text: string): string {
  return Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}
