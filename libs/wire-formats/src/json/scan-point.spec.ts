import fc from 'fast-check';
import type { JsonTape, ScanPoint } from './json-tape.ts';
import { scanJson } from './scan-json.ts';

const limits = { depthMax: 128 };
const scan = (text: string): JsonTape => scanJson(Buffer.from(text), limits);

/** The positions of all values and keys on a tape. */
function positionsOf(tape: JsonTape): number[][] {
  const nodes = Array.from({ length: tape.after(tape.root) }, (_, node) => node);
  return nodes.map((node) => [tape.start(node), tape.end(node), tape.after(node)]);
}

/** The positions in a text, or the error of the scan. */
function outcomeOf(bytes: Buffer, from?: ScanPoint): unknown {
  try {
    return positionsOf(scanJson(bytes, limits, from));
  } catch (error) {
    return error;
  }
}

const jsonText = fc
  .jsonValue({ maxDepth: 4, stringUnit: 'binary' })
  .map((value) => JSON.stringify(value).toWellFormed());
/** Text that replaces the end of a JSON text, which makes the text invalid in most cases. */
const otherEnd = fc
  .array(fc.constantFrom('', '{', '}', '[', ']', ',', ':', '"', '\\', '0', '-', '.5', 'e9', ' ', 'null', 'é'))
  .map((pieces) => pieces.join(''));

describe('a scan that starts at a position', () => {
  it('finds the same positions and errors as a scan of the whole text', () => {
    fc.assert(
      fc.property(jsonText, jsonText, fc.nat(), fc.option(otherEnd), (first, second, place, end) => {
        const text = Buffer.from(`{"a":${first},"b":[${first}, ${second},{"c":${second}}],"d":[]}`);
        const offset = place % (text.length + 1);
        const point = scanJson(text, limits).pointBefore(offset);
        if (point === undefined) return;
        expect(point.at).toBeLessThan(offset);
        const rest = end === null ? text.subarray(offset) : Buffer.from(end);
        const other = Buffer.concat([text.subarray(0, offset), rest]);
        expect(outcomeOf(other, point)).toEqual(outcomeOf(other));
      }),
      { numRuns: 3_000 },
    );
  });

  it('starts after an element of the body, or of a list in the body', () => {
    const text = '{"m":"x","n":[{"a":[1,2]},{"b":3}],"t":[4]}';
    const tape = scan(text);
    const before = (end: string) => text.slice(0, tape.pointBefore(text.indexOf(end))?.at ?? 0);
    expect(before('"m"')).toBe('');
    expect(before('"n"')).toBe('{"m":"x"');
    expect(before('2]')).toBe('{"m":"x"');
    expect(before('3}')).toBe('{"m":"x","n":[{"a":[1,2]}');
    expect(before('4')).toBe('{"m":"x","n":[{"a":[1,2]},{"b":3}]');
    expect(tape.pointBefore(text.length)?.at).toBe(text.length - 1);
  });

  it('does not start after a number that may be longer in another text', () => {
    expect(scan('{"n":[1,23],"m":1}').pointBefore(10)?.at).toBe(7);
  });
});
