// `npm run lint:structure` rejects cycles between folders, and files that only forward calls.
import { resolve } from 'node:path';
import { findFolderCycles } from './folder-cycles.ts';
import { findForwardingFiles } from './forwarding-files.ts';
import { readSourceTree } from './source-tree.ts';

const sources = readSourceTree(resolve(import.meta.dirname, '../..'));
const cycles = findFolderCycles(sources);
const forwarding = findForwardingFiles(sources);

for (const { within, members, imports } of cycles) {
  console.error(`Folder cycle in ${within}: ${members.join(', ')}`);
  for (const line of imports) console.error(`    ${line}`);
}
for (const path of forwarding) {
  console.error(`${path} only forwards a call. Let its callers import the other file, then delete it.`);
}
console.log(
  `${sources.length} sources, ${cycles.length} folder cycles, ${forwarding.length} forwarding files`,
);
if (cycles.length + forwarding.length > 0) process.exitCode = 1;
