import { layOutBody, parseBodyKind, splitPieces, layOutJson } from './lay-out-body.ts';

const kept = (text: string, more: object = {}) => ({
  ...{ encoding: 'utf8' as const, text, bytes: text.length, is_cut: false },
  ...more,
});
const mebi = 1_048_576;

describe('formatted JSON', () => {
  it.each([
    { a: [1, { b: 'x, [y]: {z} \\ "q"' }], c: {}, d: [], e: [[]], f: null, g: -1.5e-7, h: true },
    [],
    'text',
  ])('equals the output of JSON.stringify', (value) => {
    const lines = JSON.stringify(value, null, 2);
    for (const json of [JSON.stringify(value), lines, ` ${lines.replaceAll('\n', '\r\n\t')}\n`])
      expect(layOutJson(json, mebi)).toEqual({ text: lines, isWhole: true });
  });

  it('keeps digits, escapes and duplicate keys', () => {
    expect(layOutJson('{"a":12345678901234567890,"a":1.10,"b":"\\u003c\\"\\/"}', mebi).text).toBe(
      '{\n  "a": 12345678901234567890,\n  "a": 1.10,\n  "b": "\\u003c\\"\\/"\n}',
    );
  });

  it('accepts JSON cut at any position', () => {
    const json = '{"a":[1,"x\\"y"],"b":{"c":null}}';
    const strip = (text: string) => text.replaceAll(/\s/g, '');
    for (let end = 0; end <= json.length; end += 1)
      expect(strip(layOutJson(json.slice(0, end), mebi).text)).toBe(json.slice(0, end));
  });

  it('stays within the character limit at any depth', () => {
    const deep = '['.repeat(mebi) + ']'.repeat(mebi);
    const { text, isWhole } = layOutBody(deep, 'json', 65_536);
    expect({ chars: text.length, isWhole }).toEqual({ chars: 65_536, isWhole: false });
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(64);
  });
});

describe('a request or response body', () => {
  it.each([
    ['json', kept('{"a":1}')],
    ['json', kept(' [1]\n')],
    ['json', kept('{"a":"cut he', { is_cut: true })],
    ['text', kept('{not json}')],
    ['text', kept('data: {"a":1}\n\ndata: [DONE]\n\n')],
    ['text', kept('')],
    ['text', kept('['.repeat(mebi))],
    ['binary', kept('AAAA', { encoding: 'base64' as const })],
  ])('is detected as %s', (kind, body) => {
    expect(parseBodyKind(body)).toBe(kind);
  });

  it('that is not JSON is shown unchanged', () => {
    const text = 'event: x\ndata: {"a":  1}\r\n\r\n';
    expect(layOutBody(text, 'text', mebi)).toEqual({ text, isWhole: true });
  });

  it('is split at line ends if possible, never within a character, and without losing text', () => {
    const lines = Array.from({ length: 4_000 }, (_, at) => `line ${at} \u{1f600}\n`).join('');
    expect(splitPieces(lines).every((piece) => piece.endsWith('\n') && piece.length <= 8_192)).toBe(true);
    for (const text of [lines, `x${'\u{1f600}'.repeat(20_000)}`, '']) {
      const pieces = splitPieces(text);
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece.isWellFormed())).toBe(true);
    }
    expect(layOutBody('\u{1f600}'.repeat(100), 'text', 51).text).toBe('\u{1f600}'.repeat(25));
  });
});
