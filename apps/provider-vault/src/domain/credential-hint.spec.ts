import { chooseHint } from './credential-hint.ts';

describe('the hint of a credential', () => {
  it('is its last four characters', () => {
    expect(chooseHint('sk-0123456789')).toBe('6789');
    expect(chooseHint('0123456789ab')).toBe('89ab');
  });

  it.each(['', 'a', '0123456789a', '👍'.repeat(11)])(
    'is none for %j, which is too short to show any of',
    (text) => {
      expect(chooseHint(text)).toBeNull();
    },
  );
});
