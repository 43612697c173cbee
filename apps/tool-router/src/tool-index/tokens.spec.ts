import { splitTokens } from './tokens.ts';

const split = (text: string): string[] => splitTokens(text, 100);

describe('splitTokens', () => {
  it.each([
    ['getUserByID2', ['get', 'user', 'id', '2']],
    ['create_pull_request-review', ['creat', 'pull', 'request', 'review']],
    ['HTTPServerError', ['http', 'server', 'error']],
    ['triangle_properties.get', ['triangl', 'properti', 'get']],
  ])('splits %s at word boundaries', (text, words) => {
    expect(split(text)).toEqual(words);
  });

  it('maps different forms of a word to one stem', () => {
    expect(split('listing repositories')).toEqual(split('list repository'));
    expect(split('notifications')).toEqual(split('notification'));
  });

  it('drops words that occur in every question', () => {
    expect(split('What is the weather in Paris?')).toEqual(['weather', 'pari']);
  });

  it.each([
    ['Erzähle mir vom Wetter in München', 'münchen'],
    ['погода в Москве', 'погода'],
    ['東京の天気', '東京'],
    ['สภาพอากาศ', 'สภ'],
  ])('keeps words of other languages: %s', (text, word) => {
    expect(split(text)).toContain(word);
  });

  it('returns at most the requested number of tokens for any text', () => {
    expect(splitTokens('word '.repeat(1000), 7)).toHaveLength(7);
    expect(splitTokens('天'.repeat(100_000), 50)).toHaveLength(50);
    expect(splitTokens('a'.repeat(1_000_000), 50)).toEqual([]);
  });

  it('splits ASCII text in the same way within other scripts and on repeated calls', () => {
    const texts = [
      'getUserByID2',
      'HTTPServer error_code-404 x2y',
      'a b\tc\nd',
      'Running RUNS ran',
      '9lives4U',
      '',
    ];
    for (const text of texts) {
      const among = splitTokens(`${text} é`, 100);
      expect(splitTokens(text, 100)).toEqual(among.slice(0, -1));
      expect(splitTokens(text, 100)).toEqual(among.slice(0, -1));
    }
    expect(splitTokens('one two three', 2)).toHaveLength(2);
  });
});
