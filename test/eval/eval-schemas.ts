// `npm run eval:schemas -- --data DIR` measures how much each step of tool schema compression saves.
// The script checks that compression does not change the validity of any argument value.
// The script prints tables, then one line of JSON.
// The script exits with 1 if the validity of an argument value changed.
import { Ajv, type ValidateFunction } from 'ajv';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { applyEdits } from '@gateway/wire-formats';
import {
  compressDefinition,
  type SchemaMode,
} from '../../apps/compressor/src/compress-schemas/compress-schemas.ts';
import { countTokens } from '../../apps/compressor/src/text/count-tokens.ts';
import { createDraw, drawArguments } from './schemas/draw-arguments.ts';

const toolsInSetMax = 1_000;
const argumentsInAll = 100_000;
const { values } = parseArgs({ options: { data: { type: 'string', default: '../shared/data/tools' } } });

interface Definition {
  readonly name: string;
  readonly description?: string | null;
  readonly parameters?: unknown;
}

const sets: Readonly<Record<string, readonly Definition[]>> = {
  github: loadGithub(),
  bfcl: loadSet('bfcl_'),
};
/**
 * The whitespace styles in which clients write tool definitions. The whitespace styles are compact, Python's
 * json style, and indented.
 */
const writings: Readonly<Record<string, (tool: Definition) => string>> = {
  compact: (tool) => JSON.stringify(wrap(tool)),
  spaced: (tool) => JSON.stringify(wrap(tool), null, 1).replaceAll(/\n */g, ' '),
  indented: (tool) => JSON.stringify(wrap(tool), null, 2),
};

const [tokens, balanced] = (['lossless', 'balanced'] as const).map((mode) =>
  Object.fromEntries(Object.entries(sets).map(([set, tools]) => [set, measureTokens(tools, mode)])),
);
const validity = checkValidity(Object.values(sets).flat());
for (const [mode, bySet] of Object.entries({ lossless: tokens, balanced })) {
  for (const [set, byWriting] of Object.entries(bySet ?? {})) {
    console.log(`\n${mode}, ${set}: ${sets[set]?.length ?? 0} tools`);
    console.table(
      Object.fromEntries(
        Object.entries(byWriting).map(([writing, { steps, ...sums }]) => [writing, { ...sums, ...steps }]),
      ),
    );
  }
}
console.log(
  `\nof ${validity.checked} argument objects, ${validity.valid} valid, the validity of ${validity.changed} changed`,
);
console.log(JSON.stringify({ tokens, balanced, validity }));
if (validity.changed > 0) process.exitCode = 1;

function loadGithub(): Definition[] {
  const file = join(import.meta.dirname, '../../libs/testing/data/github-tools.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { function: Definition }[]).map((tool) => tool.function);
}

function loadSet(prefix: string): Definition[] {
  const lines = readFileSync(join(values.data, 'tools.jsonl'), 'utf8').split('\n');
  const all = lines.flatMap((line) =>
    line.startsWith('{') ? [JSON.parse(line) as Definition & { dataset: string }] : [],
  );
  return all.filter(({ dataset }) => dataset.startsWith(prefix)).slice(0, toolsInSetMax);
}

function wrap({ name, description, parameters }: Definition): object {
  return { type: 'function', function: { name, description: description ?? '', parameters } };
}

function measureTokens(tools: readonly Definition[], mode: SchemaMode) {
  return Object.fromEntries(
    Object.entries(writings).map(([name, write]) => [name, measureWriting(tools.map(write), mode)]),
  );
}

/** Measures the saved tokens. The totals are exact counts, and the savings per compression step are estimates. */
function measureWriting(texts: readonly string[], mode: SchemaMode) {
  let [before, after] = [0, 0];
  const steps: Record<string, number> = {};
  for (const text of texts) {
    const compressed = compressDefinition(text, mode);
    before += countTokens(text);
    after += countTokens(applyEdits(Buffer.from(text), compressed.edits).toString());
    for (const { step, tokensBefore, tokensAfter } of compressed.steps)
      steps[step] = (steps[step] ?? 0) + tokensBefore - tokensAfter;
  }
  return { before, after, saved: `${((100 * (before - after)) / before).toFixed(1)}%`, steps };
}

function checkValidity(tools: readonly Definition[]) {
  const draw = createDraw(1);
  const pairs = tools.flatMap(compilePair);
  const each = Math.ceil(argumentsInAll / Math.max(1, pairs.length));
  const sum = {
    tools: pairs.length,
    not_compiled: tools.length - pairs.length,
    checked: 0,
    valid: 0,
    changed: 0,
  };
  for (const { schema, original, compressed } of pairs) {
    for (let drawn = 0; drawn < each; drawn += 1) {
      const value = drawArguments(schema, draw);
      const isValid = original(value);
      sum.checked += 1;
      sum.valid += isValid ? 1 : 0;
      sum.changed += compressed.every((validate) => validate(value) === isValid) ? 0 : 1;
    }
  }
  return sum;
}

/**
 * Compiles a tool's schema before and after compression. Returns an empty list if the tool's schema was
 * invalid before compression.
 */
function compilePair(
  tool: Definition,
): { schema: unknown; original: ValidateFunction; compressed: ValidateFunction[] }[] {
  const original = compile(tool.parameters);
  if (original === undefined) return [];
  const compressed = (['lossless', 'balanced'] as const).map((mode) => {
    const compiled = compile(compressedSchema(tool, mode));
    if (compiled === undefined) throw new Error(`the schema of ${tool.name} no longer compiles`);
    return compiled;
  });
  return [{ schema: tool.parameters, original, compressed }];
}

function compressedSchema(tool: Definition, mode: SchemaMode): unknown {
  const text = JSON.stringify(wrap(tool));
  const after = applyEdits(Buffer.from(text), compressDefinition(text, mode).edits).toString();
  return (JSON.parse(after) as { function: Definition }).function.parameters;
}

function compile(schema: unknown): ValidateFunction | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  try {
    return new Ajv({ strict: false, validateFormats: false, logger: false }).compile(schema);
  } catch {
    return undefined;
  }
}
