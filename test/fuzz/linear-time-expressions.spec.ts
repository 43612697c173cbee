import { parseApiKey } from '@gateway/interchange';
import { listAttacks, renderAttack, type Attack } from './attack-texts.ts';
import { cpuMsMax, hostileChars, leastCpuMs } from './cpu-time.ts';
import { findExpressions, type FoundExpression } from './expressions.ts';

/**
 * Regular expressions that are never applied to text from a client or provider, with the reasons, by location.
 * Only these regular expressions may take more than linear time.
 */
const excluded: Readonly<Record<string, string>> = {};

/**
 * The maximum text lengths of regular expressions that the code applies only to truncated text, by location
 * in the source code.
 */
const readAtMost: Readonly<Record<string, number>> = {
  'apps/worker/src/assess-tools/assessed-tool.ts:114': 20_000,
  // To count tokens, the compressor splits a text into pieces.
  // A piece has 16 KiB, or 144 KiB if the compressor cannot split the text (`cutExactly`).
  'apps/compressor/src/text/count-tokens.ts:20': 147_457,
};

/**
 * Files that build a regular expression at run time. Each entry describes the expression. An expression that is
 * not built from constants has a test in `linear-time-scanners.spec.ts`.
 */
const built: Readonly<Record<string, string>> = {
  'apps/edge-gateway/src/loops/loop-guard.ts': 'constants only: a fixed start and 32 hexadecimal digits',
  'apps/edge-gateway/src/http/server.ts': 'the routes of the gateway: segments of [^/]+ between constants',
  'libs/interchange/src/api-key.ts': 'constants only: a fixed start and a fixed number of characters',
};

const found = findExpressions();
const unique = [
  ...new Map(found.literals.map((literal) => [`/${literal.source}/${literal.flags}`, literal])).values(),
];

/**
 * Applies the regular expression as product code does. With the flag `g` or `y`, finds all matches. Without
 * these flags, finds only the first match.
 */
function apply(expression: RegExp, text: string): void {
  expression.lastIndex = 0;
  if (expression.global) text.replace(expression, '');
  else if (expression.sticky) applyAgain(expression, text);
  else expression.test(text);
}

/** Searches again after each match, until a match is empty or the text has no further match. */
function applyAgain(expression: RegExp, text: string): void {
  for (let from = -1; expression.lastIndex > from;) {
    from = expression.lastIndex;
    if (!expression.test(text)) return;
  }
}

/**
 * The text length for screening, which finds the slowest attacks. Screening fails if an expression takes
 * exponential time, or quadratic time on the whole text.
 */
const screenedChars = 16 * 1024;
const screenedMsMax = 25;
/** The number of the slowest attacks that the test repeats with the full text size. */
const slowestCount = 2;

function measure(expression: RegExp, attack: Attack, chars: number, wantedMs: number, tries = 2): number {
  const text = renderAttack(attack, chars);
  return leastCpuMs(
    () => {
      apply(expression, text);
    },
    wantedMs,
    tries,
  );
}

/**
 * Returns the slowest attacks, slowest first. Throws an error if an attack is slow even on a short
 * text.
 */
function screen({ source, flags }: FoundExpression): Attack[] {
  const expression = new RegExp(source, flags);
  const timed = listAttacks(source, flags).map((attack) => {
    // The test tries a short text first, because exponential time on a longer text would never end.
    expectQuick(expression, attack, measure(expression, attack, 24, screenedMsMax), 24);
    const ms = measure(expression, attack, screenedChars, screenedMsMax);
    expectQuick(expression, attack, ms, screenedChars);
    return { attack, ms };
  });
  return timed
    .sort((one, other) => other.ms - one.ms)
    .slice(0, slowestCount)
    .map(({ attack }) => attack);
}

/** Throws an error if the regular expression takes more than linear time on texts of up to `chars` characters. */
function expectLinear(literal: FoundExpression, chars: number): void {
  const expression = new RegExp(literal.source, literal.flags);
  for (const attack of screen(literal)) {
    // Quadratic time with a small factor still takes seconds on an eighth of the full text.
    // On a full-size text, quadratic time would take minutes.
    const partMs = measure(expression, attack, chars / 8, cpuMsMax / 2);
    if (partMs > cpuMsMax / 2) expectQuick(expression, attack, partMs, chars / 8);
    const ms = measure(expression, attack, chars, cpuMsMax, 25);
    const text = JSON.stringify({ ...attack, piece: attack.piece.slice(0, 80) });
    expect({ ms: ms <= cpuMsMax ? 'linear' : ms, text }).toEqual({ ms: 'linear', text });
  }
}

function expectQuick(expression: RegExp, { before, piece, after }: Attack, ms: number, chars: number): void {
  if (ms <= screenedMsMax) return;
  throw new Error(
    `${String(expression)} takes ${ms.toFixed(0)} ms for ${chars} characters of ` +
      JSON.stringify({ before: before.slice(0, 40), piece: piece.slice(0, 80), after }),
  );
}

test('every regular expression of the services is found', () => {
  expect(unique.length).toBeGreaterThan(150);
  const places = found.literals.map(({ place }) => place.replace(/:\d+$/, ''));
  expect(places).toContain('libs/observability/src/redaction/secret-patterns.ts');
  expect([...new Set(found.built.map(({ path }) => path))].sort()).toEqual(Object.keys(built).sort());
  for (const place of Object.keys(readAtMost))
    expect(found.literals.map((literal) => literal.place)).toContain(place);
  for (const place of Object.keys(excluded)) expect(places).toContain(place.replace(/:\d+$/, ''));
});

test('a regular expression that takes quadratic time is detected', () => {
  // On a fast processor, the second of these expressions is noticeably slow only on the full-size text.
  for (const source of ['\\/+$', '\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{4,}\\.[A-Za-z0-9_-]*'])
    expect(() => {
      expectLinear({ place: '', source, flags: 'g' }, hostileChars / 4);
    }).toThrow(/takes \d+ ms for/);
});

describe('no regular expression takes more than linear time', () => {
  const checked = unique.filter(({ place }) => excluded[place] === undefined);
  test.each(checked.map((literal) => [literal.place, literal] as const))(
    '%s takes at most linear time',
    (_place, literal) => {
      expectLinear(literal, readAtMost[literal.place] ?? hostileChars);
    },
  );

  test('checking the form of an API key takes at most linear time', () => {
    const text = `sk-svc-${'a'.repeat(hostileChars)}`;
    expect(leastCpuMs(() => parseApiKey(text), cpuMsMax)).toBeLessThanOrEqual(cpuMsMax);
  });
});
