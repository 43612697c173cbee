import { chooseLevel, createComplexityModel, loadComplexityModel } from './complexity-model.ts';
import { extractFeatures, featureNames } from './features.ts';
import { readOptions } from './options.ts';
import weights from '../../../../models/complexity/weights.json' with { type: 'json' };

const model = loadComplexityModel();
const featureOf = (text: string, name: string) => extractFeatures(text)[featureNames.indexOf(name)];

describe('the complexity score', () => {
  it.each(['hi', 'Thanks!', 'What is 2+2?', 'What is the capital of France?', 'List the files in /tmp', ''])(
    'is low for %j',
    (text) => {
      expect(chooseLevel(model.score(text), model.thresholds)).toBe('low');
    },
  );

  it.each([
    'Prove that the square root of 2 is irrational, step by step, and then generalize to all integers that are not squares.',
    'Refactor the payment module so that retries are idempotent, then find the race condition in the queue consumer and write a test that reproduces it.',
    'Design a distributed rate limiter that is exact across replicas; compare token bucket and sliding window, derive the worst-case error and explain the trade-offs.',
  ])('is high for %j', (text) => {
    expect(chooseLevel(model.score(text), model.thresholds)).toBe('high');
  });

  it('is a probability between 0 and 1 for any text', () => {
    const texts = [
      '\n'.repeat(50_000),
      '1'.repeat(50_000),
      '1,'.repeat(50_000),
      'A. '.repeat(50_000),
      '\ud800🌍é 中文',
    ];
    for (const text of texts) {
      const score = model.score(text);
      expect(score).toBeGreaterThan(0);
      expect(score).toBeLessThan(1);
    }
  });

  it('rejects weights fitted with different features', () => {
    expect(() => createComplexityModel({ ...weights, features: ['length'] })).toThrow(
      'was fitted with different features',
    );
  });
});

describe('features', () => {
  it('count numbers, conditions and task words', () => {
    const text = 'If 3 trains leave at 4.5 km/h, prove that 3 of them meet.';
    expect(featureOf(text, 'numbers')).toBeCloseTo(Math.log1p(3));
    expect(featureOf(text, 'distinctNumbers')).toBeCloseTo(Math.log1p(2));
    expect(featureOf(text, 'conditionWords')).toBeCloseTo(Math.log1p(1));
    expect(featureOf(text, 'taskWords')).toBeCloseTo(Math.log1p(1));
  });

  it('separate options from the question, and ignore task words in a question with options', () => {
    const text = 'Which design is right?\nA. one\nB. the other\nC. neither of them\nAnswer:';
    expect(readOptions(text).stem).toBe('Which design is right?');
    expect(featureOf(text, 'options')).toBe(3 / 4);
    expect(featureOf(text, 'taskWords')).toBe(0);
  });
});
