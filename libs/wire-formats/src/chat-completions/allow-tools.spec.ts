import type { RequestEdit } from '../common/request-edit.ts';
import { scanJson } from '../json/scan-json.ts';
import { chatCompletions } from './chat-completions.ts';

function edit(body: string, options: Partial<RequestEdit>): string {
  const bytes = Buffer.from(body);
  const tape = scanJson(bytes, { depthMax: 128 });
  const outline = chatCompletions.client.outlineRequest(tape);
  return Buffer.from(chatCompletions.editRequest({ bytes, tape, outline, ...options }).bytes).toString();
}

const tools =
  '"tools":[{"type":"function","function":{"name":"a"}},{"type":"custom","custom":{"name":"b"}}, {"type":"function","function":{"name":"c"}}]';
const body = (more = ''): string => `{"model":"m","messages":[],${tools}${more}}`;
const choice = (mode: string, ...named: object[]): string =>
  `,"tool_choice":${JSON.stringify({ type: 'allowed_tools', allowed_tools: { mode, tools: named } })}`;
const [a, b] = [
  { type: 'function', function: { name: 'a' } },
  { type: 'custom', custom: { name: 'b' } },
];

describe('restricting which tools the model may call', () => {
  it('lists the allowed tools in the tool choice and leaves the tool list unchanged', () => {
    expect(edit(body(), { allowTools: new Set([0, 1]) })).toBe(body(choice('auto', a, b)));
    expect(edit(body(',"tool_choice":"auto","x":1'), { allowTools: new Set([0]) })).toBe(
      body(`${choice('auto', a)},"x":1`),
    );
    expect(edit(body(',"tool_choice":"required"'), { allowTools: new Set([0]) })).toBe(
      body(choice('required', a)),
    );
  });

  it("includes the gateway's own tools in the list of allowed tools", () => {
    const standIn = { kind: 'function', name: 'more', description: 'd' } as const;
    const edited = JSON.parse(edit(body(), { allowTools: new Set([0]), addTools: [standIn] })) as {
      tools: unknown[];
      tool_choice: { allowed_tools: { tools: unknown[] } };
    };
    expect(edited.tools).toHaveLength(4);
    expect(edited.tool_choice.allowed_tools.tools).toEqual([
      a,
      { type: 'function', function: { name: 'more' } },
    ]);
  });
});
