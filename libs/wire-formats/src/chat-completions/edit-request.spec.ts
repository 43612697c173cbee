import fc from 'fast-check';
import type { RequestEdit } from '../common/request-edit.ts';
import { scanJson } from '../json/scan-json.ts';
import { outlineRequest } from './client/outline-request.ts';
import { editRequest } from './edit-request.ts';

type Changes = Omit<RequestEdit, 'bytes' | 'tape' | 'outline'>;

function edit(text: string, changes: Changes = {}): string {
  const bytes = Buffer.from(text);
  const tape = scanJson(bytes, { depthMax: 64 });
  return Buffer.from(
    editRequest({ bytes, tape, outline: outlineRequest(tape), ...changes }).bytes,
  ).toString();
}

const tool = (name: string, more = ''): string => `{"type":"function","function":{"name":"${name}"${more}}}`;
const body = (members: string): string => `{"model":"openai/gpt-x","messages":[]${members}}`;

describe('editRequest', () => {
  it('returns the same bytes when the request needs no changes', () => {
    const bytes = Buffer.from(body(`, "big": 12345678901234567890, "one": 1.0, "tools" : [ ${tool('a')} ]`));
    const tape = scanJson(bytes, { depthMax: 64 });
    const outline = outlineRequest(tape);
    const keepTools = new Set([0]);
    expect(editRequest({ bytes, tape, outline, keepTools, model: 'openai/gpt-x' }).bytes).toBe(bytes);
  });

  it('removes every credential field, including repeated, escaped and empty fields', () => {
    const secret = 'AKIA-SECRET';
    const fields =
      `,"cloud_access_key_id":"${secret}","cloud_secret_access_key":"${secret}","cloud_region_name":"${secret}"` +
      `,"cloud_session_token":"${secret}","cloud_bearer_token_hosted":"${secret}"` +
      `,"cloud_\\u0061ccess_key_id":"${secret}","user":"u"`;
    expect(edit(body(fields))).toBe('{"model":"openai/gpt-x","messages":[],"user":"u"}');
  });

  it('removes examples inside a function, next to the function, and in legacy functions', () => {
    const examples = '"x-svc-examples":["send a mail"]';
    const tools = `{"type":"function",${examples},"function":{${examples},"name":"a","parameters":{}}}`;
    const edited = edit(body(`,"tools":[${tools}],"functions":[{"name":"f",${examples}}]`));
    expect(edited).toBe(
      body(
        ',"tools":[{"type":"function","function":{"name":"a","parameters":{}}}],"functions":[{"name":"f"}]',
      ),
    );
  });

  it('keeps schema properties that have the same name as a gateway field', () => {
    const tools = tool('a', ',"parameters":{"properties":{"x-svc-examples":{},"cloud_region_name":{}}}');
    expect(edit(body(`,"tools":[${tools}]`))).toBe(body(`,"tools":[${tools}]`));
  });

  it('replaces only the model', () => {
    expect(edit(body(',"user":"openai/gpt-x"'), { model: 'gpt-x' })).toBe(
      '{"model":"gpt-x","messages":[],"user":"openai/gpt-x"}',
    );
  });

  it('keeps the order and bytes of the remaining tools', () => {
    const tools = [tool('a'), tool('b', ', "strict" : true'), tool('c')].join(' , ');
    expect(edit(body(`,"tools":[${tools}]`), { keepTools: new Set([1]) })).toBe(
      body(`,"tools":[${tool('b', ', "strict" : true')}]`),
    );
  });

  it('removes fields that depend on tools when the last tool is removed', () => {
    const members = `,"tools":[${tool('a')}],"tool_choice":"auto","parallel_tool_calls":true,"n":1`;
    expect(edit(body(members), { keepTools: new Set() })).toBe(body(',"n":1'));
    expect(edit(body(',"tools":[],"tool_choice":"auto"'), { keepTools: new Set() })).toBe(
      body(',"tools":[],"tool_choice":"auto"'),
    );
  });

  it('forwards only the validated occurrence of a repeated field', () => {
    const denied = `{"tools":[${tool('denied')}],"model":"a","messages":[1],"tools":[${tool('a')}],"messages":[],"model":"b"}`;
    expect(JSON.parse(edit(denied))).toEqual({ tools: [JSON.parse(tool('a'))], messages: [], model: 'b' });
    expect(edit(denied)).not.toContain('denied');
    const hidden = '{"type":"function","function":{"name":"denied"},"function":{"name":"denied","name":"a"}}';
    expect(edit(body(`,"tools":[${hidden}]`))).toBe(body(`,"tools":[${tool('a')}]`));
  });

  it('takes linear time for any number of repeated fields', () => {
    const text = body(`${',"model":"m","tools":[]'.repeat(50_000)},"cloud_region_name":"x"`);
    const before = process.cpuUsage();
    expect(edit(text)).toBe('{"messages":[],"model":"m","tools":[]}');
    // A quadratic algorithm would take minutes.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(3000);
  });

  it('applies schema edits relative to their tool, and drops edits that would restore examples', () => {
    const tools = `${tool('a')}, ${tool('b', ',"description":"long  text"')}`;
    const start = tool('b', ',"description":"long  text"').indexOf('long  text');
    const schemaEdits = new Map([[1, [{ start, end: start + 10, replacement: 'text' }]]]);
    expect(edit(body(`,"tools":[${tools}]`), { schemaEdits, model: 'm' })).toBe(
      body(`,"tools":[${tool('a')}, ${tool('b', ',"description":"text"')}]`).replace('openai/gpt-x', 'm'),
    );
    const marked = tool('c', ',"x-svc-examples":["secret"]');
    const whole = new Map([[0, [{ start: 0, end: marked.length, replacement: marked }]]]);
    expect(edit(body(`,"tools":[${marked}]`), { schemaEdits: whole })).toBe(body(`,"tools":[${tool('c')}]`));
  });

  it('returns valid JSON with exactly the kept tools, whichever tools are kept', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string(), fc.jsonValue(), fc.boolean()), { maxLength: 8 }),
        (drawn) => {
          const tools = drawn.map(([name, extra, hasExamples]) => ({
            type: 'function',
            ...(hasExamples ? { 'x-svc-examples': [name] } : {}),
            function: { name, extra, ...(hasExamples ? { 'x-svc-examples': extra } : {}) },
          }));
          const keepTools = new Set(drawn.flatMap(([name], index) => (name.length % 2 ? [index] : [])));
          const text = JSON.stringify(
            { model: 'm', tools, messages: [], cloud_region_name: 'eu' },
            undefined,
            1,
          );
          const edited = JSON.parse(edit(text, { keepTools })) as unknown;
          const kept = drawn.flatMap(([name, extra], index) =>
            keepTools.has(index) ? [{ type: 'function', function: { name, extra } }] : [],
          );
          const isEmptied = kept.length === 0 && drawn.length > 0;
          expect(edited).toEqual(
            JSON.parse(JSON.stringify({ model: 'm', ...(isEmptied ? {} : { tools: kept }), messages: [] })),
          );
        },
      ),
      { numRuns: 500 },
    );
  });
});
