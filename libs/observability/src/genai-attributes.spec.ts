import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { genAi } from './genai-attributes.ts';

it('uses the attribute names of the semantic conventions', () => {
  const known = new Set(Object.values(conventions));
  expect(Object.values(genAi).filter((name) => !known.has(name))).toEqual([]);
});
