import { hash } from 'node:crypto';
import { contextSteps, contextStepsVersion, contextStepsVersions } from '@gateway/contracts';
import type { CompressionSettings, ContextBlock, Speaker } from './context-block.ts';
import { ConversationCompressor } from './conversation.ts';

/** For each version of the compression steps, the digest of the output for the recorded conversation. */
const digests: Readonly<Record<number, string>> = {
  1: '9894b453fa732b17ae29e5a4d3dbd025b401cd45b9e03da70f1b6f896f0bd327',
};

const repeat = <Value>(times: number, render: (at: number) => Value): Value[] =>
  Array.from({ length: times }, (_, at) => render(at));
const block = (speaker: Speaker, text: string, old?: boolean): ContextBlock => ({
  speaker,
  text,
  frozen: false,
  old,
});

const flights = repeat(6, (at) => ({
  flight_number: `HAT${100 + at}`,
  origin: 'JFK',
  destination: 'SFO',
  seats: { economy: at, business: 2 * at },
  status: 'available',
}));
const source = repeat(40, (at) => `${at + 100}:    total = add(total, price_${at})`).join('\n');
const requestLog = repeat(
  30,
  (at) => `2026-11-20 10:00:${10 + at} INFO served request ${at} in ${at} ms`,
).join('\n');
const report = repeat(900, (at) =>
  at === 450
    ? 'TypeError: cannot read orders.py'
    : `entry of the report, of kind ${'abc'.charAt(at % 3)} and no more`,
).join('\n');
const image = `src="data:image/png;base64,${'iVBORw0KGgoAAAANSUhEUg'.repeat(40)}" alt`;
const drawing = repeat(20, (at) => `${at}%`).join('\r');

/**
 * A conversation in which every compression step changes a block. The content resembles the work of customer
 * service agents and coding agents.
 */
const conversation: readonly ContextBlock[] = [
  block('system', 'You book flights and fix programs.'),
  block('user', 'Which flights are available? Then fix orders.py.'),
  block('assistant', 'find_flights {"origin":"JFK"}'),
  block('tool', JSON.stringify(flights, null, 4)),
  block('tool', JSON.stringify(flights, null, 4)),
  block('assistant', 'Let us look.\n```\ncat orders.py\n```'),
  block('user', source),
  block('assistant', 'And once more.\n```\ncat orders.py\n```'),
  block('user', `# the file\n${source}\n# ends here`),
  block(
    'tool',
    `\x1b[32mBuilding\x1b[0m  \n${drawing}\r\x1b[KDone   \nall is built, and nothing is left to do   `,
  ),
  block('tool', requestLog),
  block('tool', image),
  block('tool', report),
  block('tool', report.replaceAll('entry', 'line'), true),
];

const settings: readonly CompressionSettings[] = [
  { mode: 'lossless', recoverable: false, sessionSeed: 'recorded' },
  { mode: 'balanced', recoverable: false, sessionSeed: 'recorded' },
  { mode: 'balanced', recoverable: true, sessionSeed: 'recorded' },
];

const outcomes = settings.map((setting) => {
  const compressor = new ConversationCompressor(setting);
  return conversation.map((each) => compressor.add(each));
});

describe('the version of the context compression steps', () => {
  it('has a recorded conversation in which every step changes a block', () => {
    const steps = outcomes.flat().flatMap((outcome) => outcome.steps.map(({ step }) => step));
    expect([...new Set(steps)].sort()).toEqual([...contextSteps].sort());
  });

  it('is the newest of the versions that the compressor produces', () => {
    expect(contextStepsVersions.at(-1)).toBe(contextStepsVersion);
    expect(Object.keys(digests).map(Number)).toEqual(contextStepsVersions);
  });

  it('changes whenever the output for the recorded conversation changes', () => {
    const digest = hash('sha256', JSON.stringify(outcomes.map((all) => all.map(({ text }) => text))));
    if (digests[contextStepsVersion] !== digest) {
      throw new Error(
        `The steps' output for the recorded conversation is not that of version ${contextStepsVersion}. ` +
          'If the change is intended, increase contextStepsVersion in libs/contracts/src/rpc/compression.v1.ts ' +
          `and add the new version here with the digest ${digest}. ` +
          'Otherwise undo it: conversations in progress would change, and providers would rebuild their prompt caches.',
      );
    }
  });
});
