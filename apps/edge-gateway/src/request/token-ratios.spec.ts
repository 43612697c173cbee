import { TokenRatios } from './token-ratios.ts';

const first = { accountId: 'first', provider: 'openai', model: 'gpt-4o' };
const note = (ratios: TokenRatios, requests: number, bytes: number, owner = first) => {
  for (let request = 0; request < requests; request += 1) ratios.note(owner, bytes, 1_000);
};

describe('the measured number of bytes per token', () => {
  it('equals the rule of thumb until enough requests to a model are billed, and then equals the billed ratio', () => {
    const ratios = new TokenRatios();
    note(ratios, 19, 5_000);
    expect(ratios.bytesPerToken(first)).toBe(4);
    note(ratios, 1, 5_000);
    expect(ratios.bytesPerToken(first)).toBeCloseTo(5);
    expect(ratios.bytesPerToken({ ...first, model: 'o3' })).toBe(4);
    expect(ratios.bytesPerToken({ ...first, provider: 'azure' })).toBe(4);
  });

  it('adapts to changes, and is not affected by bodies that are mostly not text', () => {
    const ratios = new TokenRatios();
    note(ratios, 500, 5_000);
    note(ratios, 500, 3_000);
    expect(ratios.bytesPerToken(first)).toBeCloseTo(3, 1);
    note(ratios, 500, 1_000_000);
    ratios.note(first, 0, 0);
    expect(ratios.bytesPerToken(first)).toBeCloseTo(3, 1);
  });

  it('of one account never changes the x-svc-ctx-tokens-in of another account', () => {
    const ratios = new TokenRatios();
    const other = { ...first, accountId: 'other' };
    note(ratios, 100, 5_000);
    note(ratios, 1_000, 7_900, other);
    expect(ratios.bytesPerToken(first)).toBeCloseTo(5);
    expect(ratios.bytesPerToken(other)).toBeCloseTo(7.9);
  });

  it('is dropped only for the account itself if that account uses too many models', () => {
    const ratios = new TokenRatios();
    const other = { ...first, accountId: 'other' };
    note(ratios, 20, 5_000);
    note(ratios, 20, 5_000, other);
    for (let at = 0; at < 1_000; at += 1) note(ratios, 1, 5_000, { ...other, model: `m${at}` });
    expect(ratios.bytesPerToken(first)).toBeCloseTo(5);
    expect(ratios.bytesPerToken(other)).toBe(4);
  });
});
