import fc from 'fast-check';
import type { ContextBlock } from '../../apps/compressor/src/compress-blocks/context-block.ts';
import {
  compressAll,
  expandExactly,
  followed,
  modes,
  readExactly,
  sentTexts,
  termsAsked,
} from './compression-invariants.ts';
import { parseReference } from '../../apps/compressor/src/compress-blocks/references/references.ts';
import { conversation, json } from './sample-conversations.ts';

type Holds = (blocks: readonly ContextBlock[]) => void;

/** Checks the invariants of compression on a conversation, in every compression mode. */
export const invariants: Readonly<Record<string, Holds>> = {
  'compression gives equal results every time, for all turns at once or turn by turn': (blocks) => {
    for (const settings of modes) {
      const all = compressAll(blocks, settings);
      expect(compressAll(blocks, settings)).toEqual(all);
      for (const turn of [blocks.length >> 1])
        expect(compressAll(blocks.slice(0, turn), settings)).toEqual(all.slice(0, turn));
    }
  },
  'compression never makes a text longer, and names the steps of each change': (blocks) => {
    for (const settings of modes) {
      for (const [at, { text, steps }] of compressAll(blocks, settings).entries()) {
        const before = blocks[at]!;
        if (text === null) continue;
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(Buffer.byteLength(before.text));
        expect(jsonBytes(text)).toBeLessThanOrEqual(jsonBytes(before.text));
        expect(steps.length).toBeGreaterThan(0);
        for (const step of steps) expect(step.tokensAfter).toBeLessThan(step.tokensBefore);
      }
    }
  },
  'compression never changes a protected text': (blocks) => {
    for (const settings of modes) {
      for (const [at, { text }] of compressAll(blocks, settings).entries()) {
        const { frozen, speaker } = blocks[at]!;
        if (frozen || speaker === 'assistant' || speaker === 'system') expect(text).toBeNull();
      }
    }
  },
  'compression does not change a compressed text again': (blocks) => {
    for (const settings of modes) {
      const sent = sentTexts(blocks, compressAll(blocks, settings));
      const again = blocks.map((block, at) => ({ ...block, text: sent[at]! }));
      expect(sentTexts(again, compressAll(again, settings))).toEqual(sent);
    }
  },
  'compression keeps valid UTF-8 valid': (blocks) => {
    for (const settings of modes) {
      for (const [at, { text }] of compressAll(blocks, settings).entries())
        if (blocks[at]!.text.isWellFormed()) expect(text === null || text.isWellFormed()).toBe(true);
    }
  },
  'critical terms are kept, or are omitted behind a marker': (blocks) => {
    for (const settings of modes) {
      const outcomes = compressAll(blocks, settings);
      if (blocks.some(({ text }) => saysReference(text))) return;
      const readable = followed(sentTexts(blocks, outcomes));
      for (const at of blocks.keys()) {
        const omitted = outcomes.slice(0, at + 1).flatMap(({ omissions }) => omissions);
        const left = omitted.map(({ original }) => original).join('\n');
        const lower = `${readable[at]!}\n${left}`.toLowerCase();
        if (!parsesAsJson(blocks[at]!.text) && !hasTerminalCodes(blocks[at]!.text))
          for (const term of termsAsked(blocks, at)) expect(lower).toContain(term);
      }
    }
  },
  'two conversations never have equal marker ids': (blocks) => {
    const settings = modes[2]!;
    const ids = (sessionSeed: string): string[] =>
      compressAll(blocks, { ...settings, sessionSeed }).flatMap(({ omissions }) =>
        omissions.map(({ id }) => id),
      );
    const other = new Set(ids('another'));
    expect(ids('one').filter((id) => other.has(id))).toEqual([]);
  },
};

/**
 * Returns a string's size in a JSON request body. Quotes are escaped, and four-byte characters count as two
 * UTF-16 code units.
 */
const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text));
const parsesAsJson = (text: string): boolean => readExactly(text) !== undefined;
const hasTerminalCodes = (text: string): boolean => text.includes('\r') || text.includes('\x1b');
const saysReference = (text: string): boolean =>
  text.split('\n').some((line) => parseReference(line) !== undefined);

/**
 * If the original conversation contains no references, resolving the inserted references restores every line.
 */
export const followable: Holds = (blocks) => {
  const own = blocks.filter(({ text }) => !saysReference(text) && !text.includes('[…'));
  const alone = own.map((block) => sentTexts([block], compressAll([block], modes[0]!))[0]);
  const sent = sentTexts(own, compressAll(own, modes[0]!));
  const inFull = own.map((block, at) =>
    block.frozen || block.speaker === 'assistant' || block.speaker === 'system' ? block.text : alone[at],
  );
  followed(sent).forEach((text, at) => {
    // A reference can point to a text that another context block contains unchanged.
    const asItCame = withoutEnds(own[at]!.text);
    const read = withoutEnds(text);
    if (read !== asItCame) expect(read).toBe(withoutEnds(inFull[at]!));
  });
};

/**
 * Returns a block's text with references resolved and trailing spaces removed. Compression may remove
 * trailing spaces.
 */
function withoutEnds(text: string): string {
  return followed([text])[0]!
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd();
}

export function describeCompression(numRuns: number): void {
  const options = { numRuns };
  const timeoutMs = 30_000 + numRuns * 40;
  describe('the compression invariants hold for any conversation, in any mode', () => {
    for (const [name, holds] of Object.entries(invariants))
      it(name, () => fc.assert(fc.property(conversation, holds), options), timeoutMs);
  });

  it(
    'references replace exactly the lines that an earlier block sent',
    () => {
      fc.assert(fc.property(conversation, followable), options);
    },
    timeoutMs,
  );

  it(
    'compressed JSON keeps its meaning, and numbers stay as written',
    () => {
      fc.assert(
        fc.property(json, (text) => {
          const block = { speaker: 'tool', text, frozen: false } as const;
          const [minified] = sentTexts([block], compressAll([block], modes[0]!));
          expect(readExactly(minified!)).toEqual(readExactly(text));
          const [tables] = sentTexts([block], compressAll([block], modes[1]!));
          expect(expandExactly(tables!)).toEqual(expandExactly(minified!));
        }),
        options,
      );
    },
    timeoutMs,
  );
}
