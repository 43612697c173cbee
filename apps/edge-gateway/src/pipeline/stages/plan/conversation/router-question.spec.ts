import type { RequestOutline, ToolOutline } from '@gateway/interchange';
import { findSystemTools } from './router-question.ts';

const toolNames = ['Bash', 'read', 'todo_write', 'multiEdit', 'search', 'web.fetch'];
const toolsNamed = (names: readonly string[]): ToolOutline[] =>
  names.map((name, index) => ({ ...{ index, name }, range: { start: 0, end: 0 } }) as ToolOutline);

function find(text: string, names = toolNames, apart = true): string[] {
  const part = { role: 'system', text: () => text };
  const user = { role: 'user', text: () => 'use `search`' };
  const outline = apart ? { system: part, messages: [user] } : { messages: [part, user, part] };
  return findSystemTools(outline as unknown as RequestOutline, toolsNamed(names)).map((at) => names[at]!);
}

describe('findSystemTools', () => {
  it.each([
    ['identifiers', 'Plan with todo_write, then multiEdit.', ['todo_write', 'multiEdit']],
    ['a name before the word tool', 'Use the Bash tool and read tools.', ['Bash', 'read']],
    [
      'quoted, bold and heading names',
      '`read` files. **search** the code.\n## Bash\n',
      ['read', 'search', 'Bash'],
    ],
    ['a name with a dot, at the end of a sentence', 'Pages: web.fetch.', ['web.fetch']],
    ['ordinary words', 'Always read and search before you answer. Bash is a shell.', []],
    ['longer words', 'todo_write_all and thread tooling', []],
  ])('finds %s', (_what, text, names) => {
    expect(find(text)).toEqual(names);
    expect(find(text, toolNames, false)).toEqual(names);
  });

  it('a list of all tools names none of them; tools that are also explained are found', () => {
    const names = Array.from({ length: 100 }, (_, at) => `tool_${at}`);
    expect(find(names.join(', '), names)).toEqual([]);
    expect(find(`${names.join(', ')}. Call tool_7 before tool_3, and tool_7 again.`, names)).toEqual([
      'tool_7',
      'tool_3',
    ]);
    expect(find(`${names.join(' ')} `.repeat(3), names)).toHaveLength(16);
  });

  it('reads at most 200,000 characters', () => {
    expect(find(`${'a '.repeat(99_990)} todo_write`)).toEqual(['todo_write']);
    expect(find(`${'a '.repeat(100_000)} todo_write`)).toEqual([]);
  });
});
