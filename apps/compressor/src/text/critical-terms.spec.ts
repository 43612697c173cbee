import { criticalTerms, isCriticalLine } from './critical-terms.ts';
import { looksLikeCode, endsInCommand } from './classify-text.ts';

describe('criticalTerms', () => {
  it('finds identifiers, paths, addresses, numbers, ids, quoted strings and upper-case names', () => {
    const text =
      'Why does getUser in src/app/users.ts fail with E404 for "order not found", user mia_li_3668 at https://x.test/a?b, NASA?';
    expect([...criticalTerms(text)]).toEqual(
      expect.arrayContaining([
        'getuser',
        'src/app/users.ts',
        'e404',
        'order not found',
        'mia_li_3668',
        'nasa',
      ]),
    );
    expect(criticalTerms('please have a look at this').size).toBe(0);
  });

  it('returns at most 256 terms, including quoted terms', () => {
    const quoted = Array.from({ length: 300 }, (_, at) => `"term ${at}"`).join(' ');
    expect(criticalTerms(`${quoted} and src/app.ts`).size).toBe(256);
    expect(criticalTerms(Array.from({ length: 300 }, (_, at) => `src/${at}.ts`).join(' ')).size).toBe(256);
  });

  it('marks lines that contain a critical term or an error as critical', () => {
    const terms = criticalTerms('what of mia_li_3668?');
    expect(isCriticalLine('  user Mia_Li_3668 logged in', terms)).toBe(true);
    expect(isCriticalLine('TypeError: x is undefined', new Set())).toBe(true);
    expect(isCriticalLine('all is well', terms)).toBe(false);
  });

  it('takes linear time on long runs of punctuation inside words', () => {
    const before = process.cpuUsage();
    expect(criticalTerms(`a${'-'.repeat(39_000)}b`).size).toBe(0);
    const line = `a${'-'.repeat(1_990)}b`;
    for (let at = 0; at < 1_000; at += 1) expect(isCriticalLine(line, new Set(['c']))).toBe(false);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});

it.each([
  ['12:def add(a, b):\n13:    return a + b', true],
  ['diff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b', true],
  ['import os\n\ndef main():\n    run()', true],
  ['2026-11-20 10:00:00 INFO started\n2026-11-20 10:00:01 INFO ready', false],
  ['Found 3 files\nsrc/a.ts\nsrc/b.ts', false],
])('detects whether %j is code', (text, isCode) => {
  expect(looksLikeCode(text)).toBe(isCode);
});

it.each([
  ['I will look.\n```\nls -F\n```', true],
  ['I will look.\n<command>\nls\n</command>', true],
  ['Here is how:\n```\nls -F\n```\nDoes that help?', false],
  ['Which one?', false],
])('detects whether %j ends in a command', (text, isCommand) => {
  expect(endsInCommand(text)).toBe(isCommand);
});
