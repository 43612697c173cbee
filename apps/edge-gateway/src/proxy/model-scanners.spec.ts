import fc from 'fast-check';
import { JsonModelScanner } from './json-model-scanner.ts';
import type { ModelPlace, ModelScanner } from './model-scanner.ts';
import { MultipartModelScanner } from './multipart-model-scanner.ts';

/** Feeds a request body to a scanner in pieces, as a network connection would. */
function scan(scanner: ModelScanner, body: Buffer, cut: number): ModelPlace | null {
  for (let at = 0; at < body.length; at += cut) {
    const place = scanner.push(body.subarray(at, at + cut));
    if (place) return place;
  }
  return null;
}

const missing = expect.objectContaining({ code: 'missing_field', param: 'model' });

describe('JsonModelScanner', () => {
  const member = fc.tuple(fc.string(), fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }));

  it('finds the model in any object, at any position and for any split into chunks', () => {
    fc.assert(
      fc.property(
        fc.array(member),
        fc.array(member),
        fc.string({ maxLength: 40, unit: 'binary' }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(undefined, 2),
        (before, after, model, cut, space) => {
          const others = (members: [string, unknown][]) => members.filter(([name]) => name !== 'model');
          const object = Object.fromEntries([...others(before), ['model', model], ...others(after)]);
          const body = Buffer.from(JSON.stringify(object, undefined, space));
          const place = scan(new JsonModelScanner(), body, cut);
          expect(place?.model).toBe(JSON.parse(JSON.stringify(model)));
          const text = body.toString('utf8', place?.start, place?.end);
          expect(JSON.parse(text)).toBe(place?.model);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('ignores a model in a nested object, a string or a value', () => {
    const object = { input: { model: 'a', list: [{ model: 'b' }] }, text: '"model":"c"', value: 'model' };
    expect(() => scan(new JsonModelScanner(), Buffer.from(JSON.stringify(object)), 3)).toThrow(missing);
  });

  it.each(['{}', ' { } ', '{"input":"a"}', '{"input":[{}],"n":1}'])(
    'reports a missing model at the final bracket in %s',
    (text) => {
      const end = text.lastIndexOf('}');
      const scanner = new JsonModelScanner();
      expect(scanner.push(Buffer.from(text.slice(0, end)))).toBeNull();
      expect(() => scanner.push(Buffer.from('}'))).toThrow(missing);
    },
  );

  it('reads a key that contains escapes', () => {
    const body = Buffer.from('{"a":"\\\\\\"", "\\u006dodel" : "gpt"}');
    expect(scan(new JsonModelScanner(), body, 1)?.model).toBe('gpt');
  });

  it.each([
    ['[1]', 'malformed_json'],
    ['"model"', 'malformed_json'],
    ['{model:"a"}', 'malformed_json'],
    ['{"model":7}', 'invalid_field'],
    ['{"model":null}', 'invalid_field'],
    [`{"model":"${'a'.repeat(600)}"}`, 'invalid_field'],
    ['{"model":"a\\x"}', 'malformed_json'],
  ])('rejects %s', (text, code) => {
    expect(() => scan(new JsonModelScanner(), Buffer.from(text), 7)).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it('rejects an overlong model before its end arrives', () => {
    const scanner = new JsonModelScanner();
    expect(() => scanner.push(Buffer.from(`{"model":"${'a'.repeat(2000)}`))).toThrow(/longer than 512 bytes/);
  });
});

describe('MultipartModelScanner', () => {
  const type = 'multipart/form-data; boundary=XyZ';
  const part = (name: string, value: string, more = '') =>
    `--XyZ\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;

  it('finds the model in any part and for any split into chunks', () => {
    const file = part('file', 'RIFF\r\n--Xy not a boundary\r\n\r\nname="model"', '; filename="model"');
    const model = part('model', 'openai/whisper-1');
    const parts = [
      [model, file],
      [file, model, part('language', 'de')],
      [file, part('prompt', ''), model],
    ];
    for (const order of parts) {
      const body = Buffer.from(`${order.join('')}--XyZ--\r\n`);
      for (const cut of [1, 2, 3, 7, 64, 10_000]) {
        const place = scan(new MultipartModelScanner(type), body, cut);
        expect(place?.model).toBe('openai/whisper-1');
        expect(body.toString('utf8', place?.start, place?.end)).toBe('openai/whisper-1');
      }
    }
  });

  it('finds no model after the end of the body', () => {
    const body = Buffer.from(`${part('file', 'x')}--XyZ--\r\n${part('model', 'late')}`);
    expect(() => scan(new MultipartModelScanner(type), body, 5)).toThrow(missing);
  });

  const all = (body: string, cut: number) => {
    const scanner = new MultipartModelScanner(type);
    const bytes = Buffer.from(body);
    let place: ModelPlace | null = null;
    for (let at = 0; at < bytes.length; at += cut) {
      const piece = bytes.subarray(at, at + cut);
      if (place === null) place = scanner.push(piece);
      else scanner.pushRest(piece);
    }
    return place;
  };
  const first = part('model', 'openai/whisper-1');
  const named = (disposition: string) => `--XyZ\r\n${disposition}\r\n\r\nother\r\n`;
  const end = '--XyZ--\r\n';

  it.each([
    ['directly after the first', first, part('model', 'other')],
    ['after a file', first, part('file', 'x'.repeat(50_000), '; filename="a"'), part('model', 'other')],
    ['with an unquoted name', first, named('content-disposition: form-data; NAME=model')],
    ['after the end of the body', first, end, part('model', 'other')],
    ['after an end inside a line', first, '--XyZ--more\r\n', part('model', 'other')],
  ])('rejects a second model %s, for any split into chunks', (_, ...parts) => {
    const twice = expect.objectContaining({ code: 'invalid_field', param: 'model' });
    for (const cut of [1, 2, 3, 7, 64, 100_000])
      expect(() => all(`${parts.join('')}${end}`, cut)).toThrow(twice);
  });

  it.each([
    ['a folded header', 'Content-Disposition: form-data;\r\n name="model"'],
    ['a bare line feed', 'X: y\nContent-Disposition: form-data; name="model"'],
    ['a backslash', 'Content-Disposition: form-data; name="mo\\del"'],
    ['two names', 'Content-Disposition: form-data; name="other"; name="model"'],
    ['an encoded name', "Content-Disposition: form-data; name*=utf-8''mo%64el"],
    [
      'two headers',
      'Content-Disposition: form-data\r\nContent-Disposition: form-data; name="model"; name="model"',
    ],
    ['text after the name', 'Content-Disposition: form-data; name="model"x'],
  ])('rejects a part that some parsers take for the model: %s', (_, disposition) => {
    const ambiguous = expect.objectContaining({ code: 'malformed_multipart' });
    for (const order of [
      [first, named(disposition)],
      [named(disposition), first],
    ])
      expect(() => all(`${order.join('')}${end}`, 7)).toThrow(ambiguous);
  });

  it('rejects a delimiter after a bare line feed, which some parsers accept', () => {
    const hidden = part('model', 'other').replace('--XyZ', 'text\n--XyZ');
    const body = `${first}--XyZ\r\nContent-Disposition: form-data; name="file"\r\n\r\n${hidden}${end}`;
    expect(() => all(body, 5)).toThrow(expect.objectContaining({ code: 'malformed_multipart' }));
  });

  it('accepts names and file names that only contain the word “model”', () => {
    const others = [part('my_model', 'x'), part('models', 'x'), part('file', 'x', '; filename="model"')];
    const place = all(`${others.join('')}${first}${others.join('')}${end}`, 11);
    expect(place?.model).toBe('openai/whisper-1');
  });

  it('accepts a quoted boundary and bytes before the first part', () => {
    const body = Buffer.from(`preamble\r\n${part('model', 'm')}--XyZ--`);
    const scanner = new MultipartModelScanner('multipart/form-data; charset=utf-8; boundary="XyZ"');
    expect(scan(scanner, body, 4)?.model).toBe('m');
  });

  it('rejects a content type without a boundary, endless headers, and an endless model', () => {
    expect(() => new MultipartModelScanner('multipart/form-data')).toThrow(/boundary/);
    const endless = Buffer.from(`--XyZ\r\nContent-Disposition: ${'a'.repeat(20_000)}`);
    expect(() => scan(new MultipartModelScanner(type), endless, 1000)).toThrow(/headers of a part/);
    const long = Buffer.from(part('model', 'a'.repeat(5000)));
    expect(() => scan(new MultipartModelScanner(type), long, 1000)).toThrow(/longer than 512/);
  });
});
