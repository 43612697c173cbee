import type { FileChange, ReadFile } from './file-change.ts';
import { insertBefore, insertSorted } from './file-change.ts';
import { parseName, type Names } from './names.ts';

const folder = 'libs/contracts/src';

/**
 * A call between processes: its file, its export, and its row in the table of subjects.
 * @param subject `<server>.<verb-noun>`, like `account.rotate-key`.
 * @throws Error for a server that is none, or a name that is taken.
 */
export function renderContract(subject: string, read: ReadFile): FileChange[] {
  const [server = '', name = ''] = subject.split('.');
  if (!read(`${folder}/base/define.ts`).includes(`| '${server}'`))
    throw new Error(`"${server}" is not a process of ours`);
  const names = parseName(name);
  const file = `rpc/${names.kebab}.v1.ts`;
  const table = insertSorted(
    read(`${folder}/contract-table.ts`),
    /^import .* from '\.\/rpc\//,
    `import { ${names.camel} } from './${file}';`,
  );
  return [
    { path: `${folder}/${file}`, content: renderFile(server, names), isNew: true },
    {
      path: `${folder}/index.ts`,
      content: insertSorted(
        read(`${folder}/index.ts`),
        /^export \* from '\.\/rpc\//,
        `export * from './${file}';`,
      ),
      isNew: false,
    },
    {
      path: `${folder}/contract-table.ts`,
      content: insertBefore(table, '\n];', `\n  ${names.camel},`),
      isNew: false,
    },
  ];
}

function renderFile(server: string, names: Names): string {
  return `import { z } from 'zod';
import { id } from '../base/common.ts';
import { defineRpc } from '../base/define.ts';

/** ${names.sentence}. */
export const ${names.camel} = defineRpc({
  subject: '${server}.${names.kebab}.v1',
  server: '${server}',
  callers: ['edge-gateway'],
  deadlineMs: 5_000,
  request: z.object({ accountId: id }),
  reply: z.object({}),
});
export type ${names.pascal}Reply = z.infer<typeof ${names.camel}.reply>;
`;
}
