import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const pipeline = join(import.meta.dirname, '../../apps/edge-gateway/src/pipeline');
const stages = ['authenticate', 'limit', 'parse', 'choose', 'plan', 'validate', 'forward', 'relay', 'record'];
const story = readFileSync(join(pipeline, 'handle-request.ts'), 'utf8');

describe('handle-request.ts', () => {
  test('handle-request.ts has fewer than 120 lines', () => {
    expect(story.split('\n').length).toBeLessThan(120);
  });

  test('handle-request.ts imports a stage for each folder under stages/', () => {
    const folders = readdirSync(join(pipeline, 'stages'), { withFileTypes: true });
    expect(folders.map((entry) => [entry.name, entry.isDirectory()])).toEqual(
      stages.toSorted().map((name) => [name, true]),
    );
  });

  test('handle-request.ts imports from every stage and calls the function named after the stage', () => {
    const imported = [...story.matchAll(/from '\.\/stages\/([^/]+)\//g)].map(([, name]) => name);
    expect([...new Set(imported)].toSorted()).toEqual(stages.toSorted());
    const called = stages.filter((name) => new RegExp(`\\b${name}\\(`).test(story));
    expect(called).toEqual(stages);
  });

  test('handle-request.ts calls the stages in the documented order, between the start and the end of the record', () => {
    const body = story.slice(story.indexOf('export async function'));
    const calls = [...body.matchAll(/\b([a-z]+)(?:\.[a-z]+)?\(/g)].map(([, name]) => name!);
    const inOrder = calls.filter((name) => stages.includes(name) && name !== 'record');
    expect(inOrder).toEqual(stages.slice(0, -1));
    expect(body.search(/\brecord\(/)).toBeLessThan(body.search(/\bauthenticate\(/));
    expect(body.search(/recording\.finish\(/)).toBeGreaterThan(body.search(/\brelay\(/));
  });
});
