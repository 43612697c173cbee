import type { Messaging } from '@gateway/messaging';
import { sumSavedTokens } from '../../exchange/left-out-tools.ts';
import { ToolTokens, type CountedDefinition } from './tool-tokens.ts';

function openTokens(answer: (definitions: readonly string[]) => number[]) {
  const asked: string[][] = [];
  const call = (_: unknown, { definitions }: { definitions: string[] }) => {
    asked.push(definitions);
    return Promise.resolve().then(() => ({ tokens: answer(definitions) }));
  };
  return { asked, tokens: new ToolTokens({ call } as unknown as Messaging) };
}
const define = (...texts: string[]): CountedDefinition[] =>
  texts.map((text) => ({ hash: `hash of ${text}`, text: () => text }));
const lengths = (definitions: readonly string[]) => definitions.map(({ length }) => length);

describe('the token counts of definitions', () => {
  it('are requested once, and are then available without waiting', async () => {
    const { asked, tokens } = openTokens(lengths);
    expect(await tokens.count('a', define('one', 'three', 'one'))).toEqual([3, 5, 3]);
    expect(tokens.count('a', define('three', 'one'))).toEqual([5, 3]);
    expect(await tokens.count('a', define('one', 'seven'))).toEqual([3, 5]);
    expect(asked).toEqual([['one', 'three'], ['seven']]);
  });

  it('stay unknown if the compressor fails, and are requested again', async () => {
    let isDown = true;
    const { tokens } = openTokens((definitions) => {
      if (isDown) throw new Error('down');
      return lengths(definitions);
    });
    expect(await tokens.count('a', define('one'))).toEqual([null]);
    isDown = false;
    expect(await tokens.count('a', define('one'))).toEqual([3]);
  });

  it('are not requested for definitions that exceed the maximum size of a message', async () => {
    const { tokens } = openTokens(lengths);
    const large = 'x'.repeat(4 * 1024 * 1024);
    expect(await tokens.count('a', define(large, `${large}y`))).toEqual([large.length, null]);
  });
});

describe('the measured savings', () => {
  const leftOut = { names: ['one', undefined, 'two'], hasRecoveryTool: true };

  it('exclude the recovery tool, and tools that reached the model later', () => {
    expect(sumSavedTokens(leftOut, [10, 20, 40, 7], new Set())).toBe(63);
    expect(sumSavedTokens(leftOut, [10, 20, 40, 7], new Set(['two']))).toBe(23);
    expect(sumSavedTokens({ ...leftOut, hasRecoveryTool: false }, [10, 20, 40], new Set(['one']))).toBe(60);
  });

  it('are unknown if a relevant definition was not counted', () => {
    expect(sumSavedTokens(leftOut, [10, null, 40, 7], new Set())).toBeNull();
    expect(sumSavedTokens(leftOut, [10, 20, 40, null], new Set())).toBeNull();
    expect(sumSavedTokens(leftOut, [10, 20, null, 7], new Set(['two']))).toBe(23);
  });
});
