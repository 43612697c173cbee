import { looksLikeJson, minifyJson } from './minify-json.ts';

describe('minifyJson', () => {
  it.each([
    ['{ "a" : [ 1 , 2 ] }', '{"a":[1,2]}'],
    [
      '{\n\t"big": 12345678901234567890,\r\n "one": 1.0, "e": 1E+2 }',
      '{"big":12345678901234567890,"one":1.0,"e":1E+2}',
    ],
    ['{"same": 1, "same": 2, "z": 0, "a": 0}', '{"same":1,"same":2,"z":0,"a":0}'],
    [
      '["a  b", "\\" , \\\\", "\\u00e9 \\/", "\\\\\\\\" , ""]',
      '["a  b","\\" , \\\\","\\u00e9 \\/","\\\\\\\\",""]',
    ],
    [' [] ', '[]'],
    ['{"a":1}', '{"a":1}'],
  ])('removes only the whitespace from %j', (text, minified) => {
    expect(minifyJson(text)).toBe(minified);
  });
});

it.each([
  ['{"a":1}', true],
  ['\n [1]', true],
  ['"a"', false],
  ['', false],
  ['text {', false],
])('detects whether %j may be JSON', (text, may) => {
  expect(looksLikeJson(text)).toBe(may);
});
