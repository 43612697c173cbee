import { splitTurn } from '@gateway/interchange';
import { shortenTurn } from './shorten-turn.ts';

const log = (lines: number): string =>
  Array.from({ length: lines }, (_, at) => `2026-11-20 10:00:${at % 60} ERROR list_issues failed`).join('\n');

describe('shortenTurn', () => {
  it('leaves turns of up to 1,000 characters unchanged', () => {
    const text = `Create an issue.\n\`\`\`\n${'x'.repeat(900)}\n\`\`\``;
    expect(shortenTurn(text)).toBe(text);
  });

  it.each([
    ['before a long paste', `Use create_issue for this:\n${log(300)}`],
    ['after it', `${log(300)}\nUse create_issue for this`],
    ['on both sides of it', `Look at this:\n${log(300)}\n\nUse create_issue`],
    ['around a fence', `Look:\n\`\`\`\n${'list_issues\n'.repeat(2_000)}\`\`\`\nUse create_issue`],
    ['before an open fence', `Use create_issue\n\`\`\`\n${'list_issues\n'.repeat(2_000)}`],
  ])('keeps the text that the user wrote %s, apart from pasted text', (_, text) => {
    const short = shortenTurn(text);
    expect(short.length).toBeLessThanOrEqual(1_000);
    expect(splitTurn(short).written).toContain('create_issue');
    expect(splitTurn(short).written).not.toContain('list_issues');
    expect(splitTurn(short).pasted).toContain('list_issues');
  });

  it('keeps the beginning and the end of long prose', () => {
    const prose = Array.from({ length: 40 }, (_, at) => `Sentence number ${at} says a little more.`);
    const short = shortenTurn(prose.join('\n\n'));
    expect(short).toContain(prose[0]);
    expect(short).toContain(prose.at(-1));
    expect(short.length).toBeLessThanOrEqual(1_000);
  });

  it('shortens hostile text in linear time', () => {
    const before = process.cpuUsage();
    for (const part of ['\n```', '`', '\n', '[', ' ', 'a']) shortenTurn(part.repeat(1_000_000));
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000);
  });
});
