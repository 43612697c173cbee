// `npm run generate:api` generates the dashboard's types from the gateway's OpenAPI document.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import openapiTypes, { astToString } from 'openapi-typescript';
import { bundle } from '../build/bundle.mjs';

const root = resolve(import.meta.dirname, '../..');
const target = join(root, 'apps/dashboard/src/api/generated');
const printer = 'dist/tools/print-openapi.js';

await bundle('tools/openapi/print-document.ts', printer);
const printed = spawnSync(process.execPath, [join(root, printer)], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
});
if (printed.status !== 0) throw new Error(printed.stderr);
const types = await openapiTypes(JSON.parse(printed.stdout));
mkdirSync(target, { recursive: true });
writeFileSync(join(target, 'openapi.ts'), `// Made by \`npm run generate:api\`.\n${astToString(types)}`);
