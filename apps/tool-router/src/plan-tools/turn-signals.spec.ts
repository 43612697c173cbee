import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { splitTurn } from '@gateway/interchange';
import { findSharedData, skipUnless } from '@gateway/testing';
import { classifyIntent, findMentions } from './turn-signals.ts';
import { indexTools } from '../tool-index/tools.fixture.ts';

describe('classifyIntent', () => {
  it.each([
    ['Hello there', 'chat'],
    ['What is the weather in Paris?', 'lookup'],
    ['Create an issue in acme/widgets', 'act'],
    ['Find the failing job, then rerun it', 'multi-step'],
    ['Refactor the parser and add unit tests', 'code'],
    ['To do:\n \n\n  1. Create an issue\n  2. Close it', 'multi-step'],
    ['\n\t* list what is there', 'multi-step'],
    ['yes please', 'continue'],
    ['', 'chat'],
  ])('classifies %j as %s', (turn, intent) => {
    expect(classifyIntent(turn, false)).toBe(intent);
  });

  it('returns continue while tool results are pending', () => {
    expect(classifyIntent('Create an issue', true)).toBe('continue');
  });

  it('runs in bounded time on long runs of line breaks', () => {
    const before = process.cpuUsage();
    for (let at = 0; at < 200; at += 1) expect(classifyIntent('\n'.repeat(4_000), false)).toBe('chat');
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});

const index = indexTools(['create_issue', 'search', 'getUser', 'sum.total', 'погода_сейчас', 'getUser']);

describe('findMentions', () => {
  it.each([
    ['please use create_issue.', [0]],
    ['call getUser(42)', [2, 5]],
    ['then sum.total: what is it?', [3]],
    ['use `search` for that', [1]],
    ['use "search" for that', [1]],
    ['вызови погода_сейчас', [4]],
    ['search the web for issues to create', []],
    ['recreate_issue and create_issues', []],
    ['why?\n```\nERROR create_issue failed\n```\nuse getUser', [2, 5]],
    ['why?\n2026-11-20T10:00:00Z create_issue failed\n    at create_issue (index.js:3)\nhelp', []],
    ['> please use create_issue\n\nno, use getUser', [2, 5]],
    ['', []],
  ])('for %j returns the mentions %j', (turn, positions) => {
    expect(findMentions(index, turn)).toEqual(positions);
  });

  it('runs in bounded time on long runs of punctuation inside a word', () => {
    const before = process.cpuUsage();
    expect(findMentions(index, `a${'-'.repeat(99_000)}b\n\nthen create_issue--`)).toEqual([0]);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000);
  });
});

interface Message {
  readonly role: string;
  readonly content: string | null;
}

/**
 * The share of a text's identifiers (`get_user`, `getUser`, `a/b.c`) that a person wrote.
 */
function shareWritten(texts: readonly string[]): number {
  const count = (text: string): number =>
    (text.match(/[\p{L}\p{N}_][\p{L}\p{N}_.:/-]*/gu) ?? []).filter((each) =>
      /[\p{L}\p{N}][_.:/-]+[\p{L}\p{N}]|\p{Ll}\p{Lu}|_/u.test(each),
    ).length;
  const parts = texts.map(splitTurn);
  const written = parts.reduce((sum, part) => sum + count(part.written), 0);
  return written / (written + parts.reduce((sum, part) => sum + count(part.pasted), 0));
}

// The recorded transcripts are not part of the repository.
// CI requires the recorded transcripts, as described at the function findSharedData.
const folder = findSharedData('transcripts');
skipUnless(folder !== undefined, describe)(
  'a name in a recorded session is counted only if a person wrote it',
  () => {
    const sessions = (folder === undefined ? '' : readFileSync(join(folder, 'transcripts.jsonl'), 'utf8'))
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { kind: string; messages: Message[] });
    const textsOf = (kind: RegExp, role: string, skipped = 0): string[] =>
      sessions
        .filter((session) => kind.test(session.kind))
        .flatMap(({ messages }) => messages.slice(skipped).filter((message) => message.role === role))
        .map(({ content }) => content ?? '');

    it('all names in text that people wrote are counted as mentions', () => {
      expect(shareWritten(textsOf(/json/i, 'user'))).toBe(1);
    });

    it('almost no names in JSON results are counted as mentions', () => {
      expect(shareWritten(textsOf(/json/i, 'tool'))).toBeLessThan(0.01);
    });

    it('few names in shell output that arrives as user turns are counted as mentions', () => {
      // The first messages of the recorded transcripts contain instructions with an example session.
      expect(shareWritten(textsOf(/cod/i, 'user', 3))).toBeLessThan(0.2);
    });
  },
);
