import { scanJson } from '../json/scan-json.ts';
import { converse } from './converse.ts';

const route = { model: 'm', stream: false };

function edit(text: string, changes: Partial<Parameters<typeof converse.editRequest>[0]> = {}): string {
  const bytes = Buffer.from(text);
  const tape = scanJson(bytes, { depthMax: 64 });
  const outline = converse.client.outlineRequest(tape, route);
  return Buffer.from(converse.editRequest({ bytes, tape, outline, ...changes }).bytes).toString();
}

const spec = (name: string, rest = '') =>
  `{"toolSpec":{"name":"${name}","inputSchema":{"json":{"type":"object"}}${rest}}}`;
const body = (tools: string, rest = '') =>
  `{ "messages" : [], "toolConfig":{"tools":[${tools}]${rest}}, "n":{} }`.replace(', "n":{}', '');

describe('a Converse request for a provider that uses the Converse format', () => {
  it('is returned as the same object if nothing changes', () => {
    const bytes = Buffer.from(
      '{"messages":[{"role":"user","content":[{"text":"\\u0041 12345678901234567890"}]}]}',
    );
    const tape = scanJson(bytes, { depthMax: 64 });
    const outline = converse.client.outlineRequest(tape, route);
    expect(converse.editRequest({ bytes, tape, outline, model: 'other' }).bytes).toBe(bytes);
  });

  it('loses only the bytes of the pruned tools', () => {
    const text = body([spec('a'), spec('b'), spec('c')].join(' , '), ',"toolChoice":{"auto":{}}');
    expect(edit(text, { keepTools: new Set([1]) })).toBe(body(spec('b'), ',"toolChoice":{"auto":{}}'));
  });

  it('has no toolConfig if all tools are pruned', () => {
    const text = body(spec('a'), ',"toolChoice":{"any":{}}');
    expect(JSON.parse(edit(text, { keepTools: new Set() }))).toEqual({ messages: [] });
  });

  it('keeps a cache point after the remaining tools, and loses a cache point that would mark no tool', () => {
    const point = '{"cachePoint":{"type":"default"}}';
    const text = body([spec('a'), point, spec('b')].join(','));
    expect(edit(text, { keepTools: new Set([0, 1]) })).toBe(body([spec('a'), point].join(',')));
    expect(edit(text, { keepTools: new Set([1, 2]) })).toBe(body(spec('b')));
    expect(JSON.parse(edit(text, { keepTools: new Set([1]) }))).toEqual({ messages: [] });
  });

  it('contains no examples, inside or outside the tool specification', () => {
    const tool =
      '{"toolSpec":{"name":"a","x-svc-examples":["x"],"inputSchema":{"json":{}}},"x-svc-examples":["y"]}';
    expect(edit(body(tool))).toBe(body('{"toolSpec":{"name":"a","inputSchema":{"json":{}}}}'));
  });

  it('has schema edits at the right positions in the tool list', () => {
    const tools = [spec('a'), spec('b')];
    const start = tools[1]!.indexOf('{"type"');
    const edits = new Map([[1, [{ start, end: start + '{"type":"object"}'.length, replacement: '{}' }]]]);
    expect(edit(body(tools.join(',')), { schemaEdits: edits })).toBe(
      body([spec('a'), spec('b').replace('{"type":"object"}', '{}')].join(',')),
    );
  });

  it('keeps only the last occurrence of a repeated field', () => {
    const text =
      '{"toolConfig":{"tools":[]},"messages":[],"toolConfig":{"tools":[{"toolSpec":{"name":"x","name":"a"}}]}}';
    expect(edit(text)).toBe('{"messages":[],"toolConfig":{"tools":[{"toolSpec":{"name":"a"}}]}}');
  });
});
