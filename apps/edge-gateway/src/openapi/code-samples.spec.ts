import { spawnSync } from 'node:child_process';
import ts from 'typescript';
import { controllers } from '../edge-gateway.module.ts';
import { renderCodeSamples, type CodeSample } from './code-samples.ts';
import { renderDocument } from './render-document.ts';
import { listRoutes } from './route-table.ts';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
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

test('the curl sample of a HEAD operation does not wait for a body', () => {
  const hello = samplesIn('shell').find(({ operationId }) => operationId === 'readHello');
  expect(hello?.source).toBe('curl -I "$BASE/api/hello"');
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

/** A string or number that means the same in JSON and in Python. Python has no escape for a slash. */
const literal = String.raw`"(?:[^"\\\n]|\\(?:["\\bfnrt]|u[0-9a-f]{4}))*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?`;
const trailingComma = String.raw`(?<=["\]}\w]),(?=\s*[\]}])`;
const token = new RegExp(String.raw`True|False|None|${trailingComma}|(${literal}|[[\]{}:,]|\s+)|[^]`, 'g');
/** The tokens of Python that JSON writes in another way. */
const inJson = new Map(Object.entries({ True: 'true', False: 'false', None: 'null', ',': '' }));

/** Parses a Python literal of lists and dictionaries. Throws a `SyntaxError` for any other text. */
const parsePython = (source: string): unknown =>
  JSON.parse(source.replace(token, (text, same?: string) => same ?? inJson.get(text) ?? '\0'));

/** The form of every Python sample: one call of the package `requests`, and one output. */
const pythonSample = new RegExp(
  [
    String.raw`^import os, requests\n\nresponse = requests\.(?:get|head|post|put|patch|delete)\(\n`,
    String.raw`    os\.environ\["BASE"\] \+ "[\w/.%-]+",\n`,
    String.raw`(?:    headers=\{"Authorization": "Bearer " \+ os\.environ\["(?:KEY|SESSION_TOKEN)"\]\},\n)?`,
    String.raw`(?:    json=(?<json>.+),\n|    files=\{(?<files>.+)\},\n)?`,
    String.raw`\)\nprint\((?:response\.json\(\)|len\(response\.content\))\)$`,
  ].join(''),
  's',
);
const pythonFile = String.raw`"\w+": (?:\(None, (?:${literal})\)|open\("[\w.]+", "rb"\))`;
const pythonFiles = new RegExp(`^${pythonFile}(?:, ${pythonFile})*$`);

test.each(operations)(
  'the Python sample of $operationId is a valid call of requests with the example body',
  ({ requestBody, 'x-code-samples': samples }) => {
    const source = samples.find(({ lang }) => lang === 'python')?.source ?? '';
    expect(source).toMatch(pythonSample);
    const { json, files } = pythonSample.exec(source)?.groups ?? {};
    const [content] = Object.values(requestBody?.content ?? {});
    if (files === undefined) expect(json === undefined ? json : parsePython(json)).toEqual(content?.example);
    else expect(files).toMatch(pythonFiles);
  },
);

test.each(['{"a": true}', '{"a" 1}', "{'a': 1}", '[01]', '["\\/"]', '["a\nb"]', '[1,,]', '[,]', 'nan', ''])(
  'the parser of these tests rejects %j',
  (source) => expect(() => parsePython(source)).toThrow(SyntaxError),
);

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
