import { splitTurn } from './written-text.ts';

const writtenOf = (text: string): string => splitTurn(text).written;

describe('splitTurn keeps text that a person wrote', () => {
  it.each([
    'Create an issue titled "Login fails"',
    'Use create_issue, not create_pull_request.\nThen call getUser(42) and search `README.md`.',
    'Two things:\n- merge pull request 42\n- close issue 17\n\nThanks!',
    '1. list_issues\n2. create_issue\n3. tell me the result',
    'Why does https://example.com/a?b=c&d=e return 404?',
    'Please merge /srv/a_b/one.pdf and /srv/a_b/two.pdf',
    'Erstelle ein Ticket für den Fehler.\n\n请创建一个问题。',
    'Call ```create_issue``` for it',
    '',
  ])('%j', (text) => {
    expect(writtenOf(text)).toBe(
      text
        .split('\n')
        .filter((line) => line !== '')
        .join('\n'),
    );
    expect(splitTurn(text).pasted).toBe('');
  });
});

describe('splitTurn removes text that a person pasted', () => {
  const ask = 'Why does this fail?';
  it.each([
    ['a fenced block', '```\nlet x = create_issue();\n```'],
    ['an open fence', '~~~ts\ncreate_issue\n\nlist_issues'],
    ['a quote', '> please use create_issue'],
    ['log lines', '2026-11-20T10:00:00Z create_issue failed\n[ERROR] create_issue timed out'],
    ['a stack trace', 'Traceback (most recent call last):\n  File "a.py", line 3, in create_issue'],
    ['frames', '    at create_issue (/srv/index.js:10:2)'],
    ['JSON', '{\n  "tool": "create_issue",\n  "ok": false\n}'],
    ['JSON in one line', '[{"tool": "create_issue", "ok": false}]'],
    ['a diff', '@@ -1,2 +1,2 @@\n--- a/create_issue.ts\n+++ b/create_issue.ts'],
    ['a shell session', '$ create_issue --title x\nuser@host:~/work$ create_issue'],
    ['code', 'const a = b.c(d)[e] || {f: g};\nif (a !== b && c <= d) { create_issue(a_b); }'],
    ['a numbered file', '12: def create_issue(self):\n13:     return self'],
    ['a markup block', '<error name="create_issue">\n</error>'],
    ['a long block', Array.from({ length: 30 }, () => 'create_issue and more').join('\n')],
    ['a long line', 'create_issue and so on '.repeat(100)],
  ])('%s', (_, paste) => {
    const { written, pasted } = splitTurn(`${ask}\n\n${paste}`);
    expect(written).toBe(ask);
    expect(pasted).toContain('create_issue');
  });

  it('splitTurn keeps the words after the pasted text', () => {
    const text = `Look:\n\`\`\`\ncreate_issue\n\`\`\`\n${ask}\n2026-11-20 10:00:00 list_issues\nPlease help`;
    expect(writtenOf(text)).toBe(`Look:\n${ask}\nPlease help`);
  });
});

it('splits hostile text in linear time', () => {
  const texts = ['\n', '`', '[', '(', ' ', '> ', 'a@', '1:', '```\n', '{"a":', '] ', '-'];
  const before = process.cpuUsage();
  for (const text of texts) splitTurn(text.repeat(400_000));
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
});
