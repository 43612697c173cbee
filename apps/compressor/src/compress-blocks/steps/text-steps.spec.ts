import type { TextStep } from './text-step.ts';
import { blobs } from './blobs.ts';
import { headTail } from './head-tail.ts';
import { logFolding } from './log-folding.ts';
import { summary } from './summary.ts';
import { terminal, trailingSpace } from './terminal.ts';

function applyStep(step: TextStep, text: string, terms: readonly string[] = []) {
  const omitted: string[] = [];
  const omit = (original: string): string => `id${omitted.push(original)}`;
  return { text: step.apply(text, { terms: new Set(terms), omit }), omitted };
}
const apply = (step: TextStep, text: string, terms?: readonly string[]): string =>
  applyStep(step, text, terms).text;

describe('terminal', () => {
  it.each([
    ['\x1b[1;31mred\x1b[0m and \x1b]0;title\x07plain', 'red and plain'],
    ['10%\r50%\r100%\ndone', '100%\ndone'],
    ['a long first drawing\rshort', 'shortg first drawing'],
    ['Progress 100%\r\x1b[KDone\nnext', 'Done\nnext'],
    ['Downloading 50%\x1b[2K\rDone\r\n', 'Done\r\n'],
    ['\x1b[32mBuilding a\x1b[0m\x1b[K\r\x1b[32mBuilt\x1b[0m\x1b[K\r\n', 'Built\r\n'],
    ['a long first drawing\rshort\x1b[0K', 'short'],
    ['a long first drawing\r\x1b[J\nnext', '\nnext'],
    ['abcdef\rxy\x1b[K\rz', 'zy'],
    ['dos line\r\nanother\r\n', 'dos line\r\nanother\r\n'],
    ['nothing to do', 'nothing to do'],
  ])('renders %j as a terminal finally shows it', (text, shown) => {
    expect(apply(terminal, text)).toBe(shown);
  });
});

describe('trailingSpace', () => {
  it.each([
    ['a  \nb\t\r\n\n  c', 'a\nb\n\n  c'],
    ['as it is\n', 'as it is\n'],
  ])('removes whitespace at the ends of the lines in %j', (text, trimmed) => {
    expect(apply(trailingSpace, text)).toBe(trimmed);
  });
});

describe('blobs', () => {
  it('keeps the start of encoded data and marks the omitted part', () => {
    const data = 'iVBORw0KGgoAAAANSUhEUg'.repeat(40);
    const { text, omitted } = applyStep(blobs, `src="data:image/png;base64,${data}" alt`);
    expect(text).toMatch(/base64,.{5,24}\[… \d+ characters left out: id1\]" alt$/);
    expect(omitted[0]).toContain(data.slice(100));
  });

  it('trims minified lines but not prose', () => {
    const minified = 'function(a,b){return a.call(b)};'.repeat(200);
    expect(apply(blobs, minified).length).toBeLessThan(400);
    const prose = 'and so the long tale went on and on '.repeat(200);
    expect(apply(blobs, prose)).toBe(prose);
  });
});

describe('summary', () => {
  const report = Array.from({ length: 120 }, (_, at) =>
    at === 70 ? 'the disk /dev/sda9 is full' : `part ${at} of a report that goes on and on`,
  );

  it('keeps the start, the end and the critical lines in order, with one marker', () => {
    const { text, omitted } = applyStep(summary, report.join('\n'), ['sda9']);
    const lines = text.split('\n');
    expect(lines.slice(0, 6)).toEqual([...report.slice(0, 3), '…', report[70], '…']);
    expect(lines.slice(-3, -1)).toEqual(report.slice(-2));
    expect(lines.at(-1)).toMatch(/^\[… a summary; \d+ characters left out: id1\]$/);
    expect(omitted).toEqual([report.join('\n')]);
    expect(apply(summary, text)).toBe(text);
  });

  it('cuts a single-line text at JSON boundaries', () => {
    const json = JSON.stringify(report.map((text, at) => ({ at, text })));
    const { text } = applyStep(summary, json);
    expect(text.length).toBeLessThan(json.length / 3);
    expect(text.split('\n')[0]).toMatch(/^\[\{"at":0,.*[,}\]]$/);
  });

  it('leaves short results and existing summaries unchanged', () => {
    expect(apply(summary, 'a short one')).toBe('a short one');
  });
});

describe('logFolding', () => {
  const log = (count: number): string[] =>
    Array.from({ length: count }, (_, at) => `10:00:${at} served request ${at} in ${at} ms`);

  it('keeps the first and last of several lines that differ only in numbers', () => {
    const lines = log(20);
    const { text, omitted } = applyStep(logFolding, ['start', ...lines, 'end'].join('\n'));
    expect(text.split('\n')).toEqual([
      'start',
      lines[0],
      '[… 18 lines like these left out: id1]',
      lines[19],
      'end',
    ]);
    expect(omitted).toEqual([lines.slice(1, -1).join('\n')]);
  });

  it('keeps short runs, errors and lines with critical terms', () => {
    expect(apply(logFolding, log(4).join('\n'))).toBe(log(4).join('\n'));
    const failures = log(20).map((line) => `${line} ERROR`);
    expect(apply(logFolding, failures.join('\n'))).toBe(failures.join('\n'));
    expect(apply(logFolding, log(20).join('\n'), ['10:00:7'])).toBe(log(20).join('\n'));
  });
});

describe('headTail', () => {
  const lines = Array.from(
    { length: 900 },
    (_, at) => `entry of the report, of kind ${'abc'.charAt(at % 3)} and no more`,
  );

  it('keeps both ends, and the critical lines with the lines around them', () => {
    const withTrouble = lines
      .with(400, 'Traceback (most recent call last):')
      .with(500, 'see /srv/app/orders.py');
    const { text, omitted } = applyStep(headTail, withTrouble.join('\n'), ['orders.py']);
    expect(text).toContain('Traceback');
    expect(text).toContain('/srv/app/orders.py');
    expect(text.startsWith(lines.slice(0, 20).join('\n'))).toBe(true);
    expect(text.endsWith(lines.slice(-20).join('\n'))).toBe(true);
    expect(omitted).toHaveLength(3);
    expect(text.split('\n').length).toBeLessThan(300);
  });

  it('leaves a tool result of ordinary length unchanged', () => {
    const short = lines.slice(0, 100).join('\n');
    expect(apply(headTail, short)).toBe(short);
  });
});
