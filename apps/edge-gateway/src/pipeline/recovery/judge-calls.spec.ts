import { formatNamed, scanJson } from '@gateway/wire-formats';
import { openCallJudge } from './judge-calls.ts';

const format = formatNamed('chat-completions');
const parameters = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
const tools = ['one', 'two'].map((name) => ({ type: 'function', function: { name, parameters } }));
const bytes = Buffer.from(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'go' }], tools }));
const tape = scanJson(bytes, { depthMax: 64 });
const request = { bytes, tape, outline: format.client.outlineRequest(tape) } as never;
const schemaEdits = new Map([[1, { edits: [], steps: [] }]]);
const judge = openCallJudge(request, format, { schemaEdits });
const call = (name: string, argumentsText: string | null) => ({
  id: 'c',
  name,
  argumentsText,
  choice: 0,
  block: 0,
});

describe('the tool calls in a response', () => {
  it('are checked against the client’s own definitions, with a separate count for tools with shortened definitions', () => {
    expect(judge([call('one', '{"a":1}'), call('two', '{"a":1}')])).toEqual({ asWritten: 0, shortened: 0 });
    expect(judge([call('one', '{"a":"x"}'), call('two', '{}'), call('two', 'no')])).toEqual({
      asWritten: 1,
      shortened: 2,
    });
  });

  it('are not checked if the tool has no definition or the call has no arguments', () => {
    expect(judge([call('three', '{}'), call('one', null)])).toEqual({ asWritten: 0, shortened: 0 });
  });
});
