import fc from 'fast-check';
import type { JsonEntry } from './json-tape.ts';
import { scanJson } from './scan-json.ts';
import {
  applyEdits,
  EditedBytes,
  editedLength,
  removeItems,
  removeMembers,
  replaceValue,
} from './json-edits.ts';

const scan = (text: string) => scanJson(Buffer.from(text), { depthMax: 64 });
const spaces = fc.constantFrom(undefined, 1, 4, '\t');

describe('applyEdits', () => {
  it('returns the same object when there are no edits', () => {
    const bytes = Buffer.from('{}');
    expect(applyEdits(bytes, [])).toBe(bytes);
  });

  it('replaces, deletes and inserts UTF-8 text', () => {
    const edits = [
      { start: 0, end: 1, replacement: 'é' },
      { start: 2, end: 4, replacement: '' },
      { start: 4, end: 4, replacement: '€' },
    ];
    expect(applyEdits(Buffer.from('abcdef'), edits).toString()).toBe('éb€ef');
    expect(editedLength(6, edits)).toBe(Buffer.byteLength('éb€ef'));
  });

  it.each([
    [
      'overlapping',
      [
        { start: 0, end: 2 },
        { start: 1, end: 3 },
      ],
    ],
    [
      'descending',
      [
        { start: 2, end: 3 },
        { start: 0, end: 1 },
      ],
    ],
    ['reversed', [{ start: 3, end: 2 }]],
    ['beyond the end', [{ start: 0, end: 7 }]],
    ['before the start', [{ start: -1, end: 1 }]],
  ])('rejects %s edits', (_, ranges) => {
    const edits = ranges.map((range) => ({ ...range, replacement: '' }));
    expect(() => applyEdits(Buffer.from('abcdef'), edits)).toThrow(RangeError);
  });
});

describe('EditedBytes', () => {
  const run = fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 300_000 }));

  it('has pieces that are equal to the edited bytes together, without copies of long unchanged parts', () => {
    const parts = fc.array(fc.tuple(run, fc.nat({ max: 9 }), fc.string({ unit: 'binary' })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(parts, run, (changes, rest) => {
        let length = 0;
        const edits = changes.map(([kept, removed, replacement]) => {
          const start = length + kept;
          length = start + removed;
          return { start, end: length, replacement };
        });
        const bytes = Buffer.alloc(length + rest, 'abcdefg');
        const edited = new EditedBytes(bytes, edits);
        const pieces = edited.pieces();
        expect(Buffer.concat(pieces).equals(applyEdits(bytes, edits))).toBe(true);
        expect(edited.length).toBe(edited.bytes.length);
        const copied = pieces.filter(({ buffer }) => buffer !== bytes.buffer);
        const copiedBytes = copied.reduce((sum, piece) => sum + piece.length, 0);
        const replaced = edits.reduce((sum, { replacement }) => sum + Buffer.byteLength(replacement), 0);
        expect(copiedBytes).toBeLessThanOrEqual((edits.length + 1) * 64 * 1024 + replaced);
        expect(pieces.length).toBeLessThanOrEqual(2 * edits.length + 1);
      }),
      { numRuns: 200 },
    );
  });

  it('returns the original bytes when there are no edits, and rejects overlapping edits', () => {
    const bytes = Buffer.alloc(1_000_000);
    expect(new EditedBytes(bytes, []).bytes).toBe(bytes);
    expect(new EditedBytes(bytes, []).pieces()).toEqual([bytes]);
    const [one, other] = [
      { start: 0, end: 2, replacement: '' },
      { start: 1, end: 3, replacement: '' },
    ];
    expect(() => new EditedBytes(bytes, [one, other])).toThrow(RangeError);
  });
});

describe('removal', () => {
  it('leaves valid JSON with exactly the kept elements, whichever elements are kept', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.jsonValue(), fc.boolean())), spaces, (items, space) => {
        const tape = scan(
          JSON.stringify(
            items.map(([value]) => value),
            undefined,
            space,
          ),
        );
        const edits = removeItems(tape, tape.root, (index) => items[index]?.[1] === true);
        const left = JSON.parse(applyEdits(tape.bytes, edits).toString()) as unknown;
        const kept = items.filter(([, isKept]) => isKept).map(([value]) => value);
        expect(left).toEqual(JSON.parse(JSON.stringify(kept)));
      }),
      { numRuns: 1000 },
    );
  });

  it('leaves valid JSON with exactly the kept members and their original bytes', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.infiniteStream(fc.boolean()),
        spaces,
        (object, draws, space) => {
          const text = JSON.stringify(object, undefined, space);
          const removed = new Set(Object.keys(JSON.parse(text) as object).filter(() => draws.next().value));
          const tape = scan(text);
          const edits = removeMembers(tape, tape.root, ({ key }) => removed.has(tape.stringValue(key)!));
          const left = applyEdits(tape.bytes, edits).toString();
          const expected = Object.fromEntries(
            Object.entries(JSON.parse(text) as object).filter(([name]) => !removed.has(name)),
          );
          expect(JSON.parse(left)).toEqual(expected);
          for (const { key, value } of tape.entries(tape.root)) {
            if (removed.has(tape.stringValue(key)!)) continue;
            expect(left).toContain(tape.bytes.toString('utf8', tape.start(key), tape.end(value)));
          }
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('removes every occurrence of a repeated member', () => {
    const tape = scan('{"a":1,"b":2,"\\u0061":3,"a":4}');
    const isNamedA = ({ key }: JsonEntry) => tape.isString(key, 'a');
    expect(applyEdits(tape.bytes, removeMembers(tape, tape.root, isNamedA)).toString()).toBe('{"b":2}');
  });

  it('makes one edit per run of adjacent removals, and no edit if nothing is removed', () => {
    const tape = scan('[1, 2, 3, 4, 5]');
    expect(removeItems(tape, tape.root, (index) => index < 2 || index > 3)).toEqual([
      { start: 5, end: 11, replacement: '' },
    ]);
    expect(removeItems(tape, tape.root, () => true)).toEqual([]);
  });

  it('replaces only the given value', () => {
    const tape = scan('{ "model" : "a/b" , "n":12345678901234567890 }');
    const edit = replaceValue(tape, tape.get(tape.root, 'model')!, '"b"');
    expect(applyEdits(tape.bytes, [edit]).toString()).toBe('{ "model" : "b" , "n":12345678901234567890 }');
  });
});
