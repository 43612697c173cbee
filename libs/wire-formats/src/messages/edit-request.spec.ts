import type { RequestEdit } from '../common/request-edit.ts';
import { scanJson } from '../json/scan-json.ts';
import { messages } from './messages.ts';

function edit(body: string, options: Partial<RequestEdit> = {}): string {
  const bytes = Buffer.from(body);
  const tape = scanJson(bytes, { depthMax: 128 });
  const outline = messages.client.outlineRequest(tape);
  const edited = messages.editRequest({ bytes, tape, outline, ...options });
  if (edited.edits.length === 0) expect(edited.bytes).toBe(bytes);
  return Buffer.from(edited.bytes).toString();
}

const tool = (name: string): string => `{"name":"${name}","input_schema":{"type":"object"}}`;
const withTools = (tools: string, rest = ''): string =>
  `{"model":"m","messages":[],"tools":[${tools}]${rest}}`;

describe('editing a request in place', () => {
  it("changes only the model, and keeps the client's numbers, keys and spacing", () => {
    const body =
      '{ "messages" : [{"role":"user","content":"é\\u00e9 12345678901234567890"}],\n "x":1.0e2, "model":"a/b"}';
    expect(edit(body, { model: 'b' })).toBe(body.replace('"a/b"', '"b"'));
    expect(edit(body, { model: 'a/b' })).toBe(body);
  });

  it.each([
    [[1, 2], `${tool('b')}, ${tool('c')}`],
    [[0, 2], `${tool('a')}, ${tool('c')}`],
    [[0, 1], `${tool('a')}, ${tool('b')}`],
    [[1], tool('b')],
  ])('keeps the tools %j without an extra comma', (kept, left) => {
    const body = withTools(['a', 'b', 'c'].map(tool).join(', '));
    expect(edit(body, { keepTools: new Set(kept) })).toBe(withTools(left));
  });

  it('removes the tool choice together with all tools, and keeps the rest', () => {
    const body = withTools(tool('a'), ',"tool_choice":{"type":"auto"},"max_tokens":5');
    expect(edit(body, { keepTools: new Set() })).toBe('{"model":"m","messages":[],"max_tokens":5}');
  });

  it('removes the examples from every kept tool', () => {
    const examples = '"x-svc-examples":["find \\"x\\""]';
    const body = withTools(
      `{${examples},"name":"a","input_schema":{}},{"name":"b","input_schema":{},${examples}}`,
    );
    expect(edit(body)).toBe(withTools('{"name":"a","input_schema":{}},{"name":"b","input_schema":{}}'));
    expect(edit(body, { keepTools: new Set([1]) })).toBe(withTools('{"name":"b","input_schema":{}}'));
  });

  it('applies schema edits at the right offsets, except edits that overlap removals', () => {
    const definition = '{"name":"a","input_schema":{"title":"t","type":"object"},"x-svc-examples":[]}';
    const at = definition.indexOf('"title":"t",');
    const schemaEdits = new Map([[0, [{ start: at, end: at + 12, replacement: '' }]]]);
    const stripped = '{"name":"a","input_schema":{"title":"t","type":"object"}}';
    expect(edit(withTools(definition), { schemaEdits })).toBe(
      withTools('{"name":"a","input_schema":{"type":"object"}}'),
    );
    const touching = new Map([[0, [{ start: at, end: definition.length - 1, replacement: '' }]]]);
    expect(edit(withTools(definition), { schemaEdits: touching })).toBe(withTools(stripped));
  });

  it('keeps only the last occurrence of a repeated field, which is the validated occurrence', () => {
    const body = '{"model":"x","tools":[1],"messages":[1],"model":"m","messages":[],"tools":[]}';
    expect(edit(body)).toBe('{"model":"m","messages":[],"tools":[]}');
  });
});
