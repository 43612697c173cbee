import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compressDefinition } from './compress-schemas.ts';
import { compressedText } from './compressed-text.fixture.ts';

const schema = { title: 'Arguments', type: 'object', properties: { a: { type: 'string', title: 'A' } } };
const smaller = { type: 'object', properties: { a: { type: 'string' } } };

describe('a tool definition', () => {
  it.each([
    [
      'chat-completions',
      {
        type: 'function',
        function: { name: 'do_it', description: 'Does.', parameters: schema, strict: true },
      },
      {
        type: 'function',
        function: { name: 'do_it', description: 'Does.', parameters: smaller, strict: true },
      },
    ],
    [
      'messages',
      { name: 'do_it', description: 'Does.', input_schema: schema },
      { name: 'do_it', description: 'Does.', input_schema: smaller },
    ],
    [
      'converse',
      { toolSpec: { name: 'do_it', description: 'Does.', inputSchema: { json: schema } } },
      { toolSpec: { name: 'do_it', description: 'Does.', inputSchema: { json: smaller } } },
    ],
  ])('in the %s format is compressed to the same bytes, whether compact or indented', (_, tool, expected) => {
    for (const indent of [undefined, 2, '\t']) {
      expect(compressedText(JSON.stringify(tool, null, indent))).toBe(JSON.stringify(expected));
    }
  });

  it.each([
    ['a built-in tool', '{ "type": "web_search_20250305", "name": "web_search" }'],
    ['a custom tool', '{ "type": "custom", "custom": { "name": "a", "format": { "type": "text" } } }'],
    [
      'one with a cache marker',
      '{ "name": "a", "input_schema": { "title": "A" }, "cache_control": { "type": "ephemeral" } }',
    ],
    ['one whose body repeats a key', '{ "name": "a", "name": "b", "input_schema": {} }'],
    ['broken JSON', '{ "name": "a", '],
    ['nothing', ''],
    ['a text nested too deep', `{ "name": "a", "input_schema": ${'['.repeat(5000)}${']'.repeat(5000)} }`],
  ])('that is %s stays unchanged', (_, text) => {
    expect(compressDefinition(text, 'lossless')).toEqual({ edits: [], steps: [] });
  });

  it('keeps the spelling of numbers, escapes, key order and unknown fields', () => {
    const text =
      '{ "z": 1.0, "name": "a", "input_schema": { "x-y": [ 1e3, -0, 12345678901234567890 ], "default": "\\u0041\\/" } }';
    expect(compressedText(text)).toBe(
      '{"z":1.0,"name":"a","input_schema":{"x-y":[1e3,-0,12345678901234567890],"default":"\\u0041\\/"}}',
    );
  });

  it('keeps whitespace inside strings, and non-ASCII characters', () => {
    const text = '{ "name": "a", "description": " zwei  Wörter, 東京 \\n ", "input_schema": {} }';
    expect(compressedText(text)).toBe(
      '{"name":"a","description":" zwei  Wörter, 東京 \\n ","input_schema":{}}',
    );
  });

  it('with x-svc-examples changes only inside its schema, so that edits do not overlap with the removal of the examples', () => {
    const text =
      '{ "type": "function", "function": { "name": "a", "description": "a", "x-svc-examples": [ "b" ], "parameters": { "title": "c" } } }';
    const { edits } = compressDefinition(text, 'lossless');
    const start = text.indexOf('{ "title"');
    expect(edits.length).toBeGreaterThan(0);
    for (const edit of edits) expect(edit.start).toBeGreaterThanOrEqual(start);
  });

  it('loses only whitespace in an object with a repeated key', () => {
    const text =
      '{"name":"a","input_schema":{"properties":{"b":{"title":"b","title":"B"},"c":{"title":"c"}}}}';
    expect(compressedText(text)).toBe(
      '{"name":"a","input_schema":{"properties":{"b":{"title":"b","title":"B"},"c":{}}}}',
    );
  });

  it('reports each effective compression step, starting with the tokens after the previous step', () => {
    const $schema = 'http://json-schema.org/draft-07/schema#';
    const tool = { name: 'do_it', input_schema: { $schema, $comment: 'x', ...schema, description: 'Do it' } };
    const { steps } = compressDefinition(JSON.stringify(tool, null, 2), 'lossless');
    expect(steps.map(({ step }) => step)).toEqual([
      'whitespace',
      '$schema',
      '$comment',
      'repeated_description',
      'title',
    ]);
    steps.forEach(({ tokensBefore, tokensAfter }, at) => {
      expect(tokensAfter).toBeLessThanOrEqual(tokensBefore);
      if (at > 0) expect(tokensBefore).toBe(steps[at - 1]?.tokensAfter);
    });
  });

  it('with a size of one megabyte gets a limited number of edits', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 8000 }, (_, at) => [
        `field_${at}`,
        { title: `Field ${at}`, type: 'string', description: 'What it says.' },
      ]),
    );
    const text = JSON.stringify({ name: 'a', input_schema: { type: 'object', properties } }, null, 2);
    expect(text.length).toBeGreaterThan(900_000);
    const { edits } = compressDefinition(text, 'lossless');
    expect(edits.length).toBeLessThanOrEqual(64);
  });
});

describe("GitHub's own tools", () => {
  const file = join(import.meta.dirname, '../../../../libs/testing/data/github-tools.json');
  const tools = JSON.parse(readFileSync(file, 'utf8')) as unknown[];

  it('keep names, required lists, enums and types', () => {
    const essence = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (key, part: unknown) =>
          ['title', 'description', '$schema', '$comment'].includes(key) && typeof part === 'string'
            ? undefined
            : part,
        ),
      );
    for (const tool of tools) {
      expect(essence(JSON.parse(compressedText(JSON.stringify(tool, null, 2))))).toEqual(essence(tool));
    }
  });
});
