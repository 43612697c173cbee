import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { genAi } from './genai-attributes.ts';

it('names every attribute as the semantic conventions do', () => {
  const known = new Set(Object.values(conventions));
  expect(Object.values(genAi).filter((name) => !known.has(name))).toEqual([]);
});
