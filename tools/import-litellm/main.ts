// `npm run import:litellm -- config.yaml [--apply]` imports the configuration of LiteLLM's proxy.
// Without `--apply`, the command only prints the requests and every field that it cannot import.
// The command uses GATEWAY_URL and GATEWAY_API_KEY (scope `manage`), or the running gateway of this checkout.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { z } from 'zod';
import { openDataDir } from '../bootstrap/stack/data-dir.ts';
import { readDevInfo } from '../bootstrap/stack/dev-file.ts';
import { root } from '../bootstrap/stack/root.ts';
import { planImport, type ImportStep } from './plan-import.ts';

const usage = 'usage: npm run import:litellm -- config.yaml [--apply]';
const variablePrefix = 'os.environ/';
const secretFields = new Set(['api_key', 'additional_api_keys', 'secret_access_key', 'session_token']);

/** Renders a request without secrets. A reference to a variable is shown as `$NAME`. */
function renderStep({ path, body }: ImportStep): string {
  const hide = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(hide);
    return String(value).startsWith(variablePrefix)
      ? `$${String(value).slice(variablePrefix.length)}`
      : '(hidden)';
  };
  const shown = Object.entries(body).map(([key, value]) => [
    key,
    secretFields.has(key) || String(value).startsWith(variablePrefix) ? hide(value) : value,
  ]);
  return `PUT ${path} ${JSON.stringify(Object.fromEntries(shown))}`;
}

/** Replaces references to variables by their values. Throws if a variable is not set. */
function resolveVariables(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolveVariables);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, resolveVariables(each)]));
  if (typeof value !== 'string' || !value.startsWith(variablePrefix)) return value;
  const name = value.slice(variablePrefix.length);
  const found = process.env[name];
  if (!found) throw new Error(`The configuration needs the variable ${name}, which is not set.`);
  return found;
}

function findGateway(): { url: string; key: string } {
  const { GATEWAY_URL: url, GATEWAY_API_KEY: key } = process.env;
  if (url && key) return { url, key };
  const dev = readDevInfo(openDataDir(resolve(root, '.data')));
  if (!dev?.base_url || !dev.api_key)
    throw new Error('Set GATEWAY_URL and GATEWAY_API_KEY, or start the gateway of this checkout.');
  return { url: dev.base_url, key: dev.api_key };
}

async function apply(steps: readonly ImportStep[]): Promise<void> {
  const requests = steps.map(({ path, body }) => ({ path, body: JSON.stringify(resolveVariables(body)) }));
  const { url, key } = findGateway();
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  for (const { path, body } of requests) {
    const answer = await fetch(url + path, { method: 'PUT', headers, body });
    if (!answer.ok) throw new Error(`PUT ${path} failed with ${answer.status}: ${await answer.text()}`);
    console.log(`PUT ${path}: done`);
  }
}

async function run(): Promise<void> {
  const options = { apply: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args: process.argv.slice(2), allowPositionals: true, options });
  const [file] = positionals;
  if (file === undefined || positionals.length > 1) throw new Error(usage);
  const { steps, unmapped } = planImport(parse(readFileSync(file, 'utf8')));
  if (values.apply) await apply(steps);
  else console.log(['Dry run. Add --apply to send these requests:', ...steps.map(renderStep)].join('\n'));
  if (unmapped.length > 0) console.log('\nNot imported:');
  for (const { field, reason } of unmapped) console.log(`  ${field}: ${reason}`);
}

try {
  await run();
} catch (error) {
  if (error instanceof z.ZodError) console.error(z.prettifyError(error));
  else console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
