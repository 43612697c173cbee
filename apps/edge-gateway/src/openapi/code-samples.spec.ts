import { execFileSync, spawnSync } from 'node:child_process';
import ts from 'typescript';
import { controllers } from '../edge-gateway.module.ts';
import { renderCodeSamples, type CodeSample } from './code-samples.ts';
import { renderDocument } from './render-document.ts';
import { listRoutes } from './route-table.ts';

interface Operation {
  readonly operationId: string;
  readonly 'x-code-samples': readonly CodeSample[];
}
const document = renderDocument(listRoutes(controllers));
const operations = Object.values(document.paths ?? {}).flatMap((path) =>
  Object.values(path as unknown as Record<string, Operation>),
);
const samplesIn = (lang: CodeSample['lang']) =>
  operations.map(({ operationId, 'x-code-samples': samples }) => ({
    operationId,
    source: samples.find((sample) => sample.lang === lang)?.source ?? '',
  }));

test('every operation has a sample in curl, TypeScript and Python', () => {
  expect(operations.length).toBeGreaterThan(80);
  for (const lang of ['shell', 'typescript', 'python'] as const)
    expect(samplesIn(lang).filter(({ source }) => source === '')).toEqual([]);
});

test('every path parameter has an example of its own', () => {
  expect(samplesIn('shell').filter(({ source }) => /\/text[/"]/.test(source))).toEqual([]);
});

test('every TypeScript sample is valid TypeScript', () => {
  const faults = samplesIn('typescript').flatMap(({ operationId, source }) => {
    const { diagnostics = [] } = ts.transpileModule(source, { reportDiagnostics: true });
    return diagnostics.map(({ messageText }) => [operationId, messageText]);
  });
  expect(faults).toEqual([]);
});

test('every curl sample is valid for a POSIX shell', () => {
  const faults = samplesIn('shell').filter(
    ({ source }) => spawnSync('sh', ['-n'], { input: source }).status !== 0,
  );
  expect(faults).toEqual([]);
});

const python = spawnSync('python3', ['--version']).status === 0;
(python ? test : test.skip)('every Python sample is valid Python', () => {
  const check = 'import ast, json, sys\nfor s in json.load(sys.stdin): ast.parse(s)';
  const input = JSON.stringify(samplesIn('python').map(({ source }) => source));
  execFileSync('python3', ['-c', check], { input });
});

test('values of JSON become literals of each language, and quotes are escaped', () => {
  const example = { text: "it's", list: [], flag: true, none: null };
  const [curl, typescript, python3] = renderCodeSamples({
    ...{ method: 'POST', path: '/v1/x', schemes: ['apiKey'], isJson: true },
    body: { mediaType: 'application/json', example },
  }).map(({ source }) => source);
  expect(curl).toContain(String.raw`-d '{"text":"it'\''s","list":[],"flag":true,"none":null}'`);
  expect(typescript).toContain(`"text": "it's"`);
  expect(python3).toMatch(/"list": \[\],\n\s+"flag": True,\n\s+"none": None,/);
});
