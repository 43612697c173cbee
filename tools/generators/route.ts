import type { FileChange, ReadFile } from './file-change.ts';
import { insertBefore, insertSorted } from './file-change.ts';
import { parseName, type Names } from './names.ts';

const app = 'apps/edge-gateway/src';

/**
 * A public endpoint for holders of API keys: its folder with route, description and spec, and its place in the module.
 * Its row in test/authz/rows.ts is written by hand: who may do what with it is a decision.
 * @param path where it is served; `/v1/<name>` if left out.
 */
export function renderRoute(name: string, read: ReadFile, path = `/v1/${name}`): FileChange[] {
  const names = parseName(name);
  const folder = `${app}/routes/${names.kebab}`;
  const moduleText = insertSorted(
    read(`${app}/edge-gateway.module.ts`),
    /^import .* from '\.\/routes\//,
    `import { ${names.pascal}Route } from './routes/${names.kebab}/${names.kebab}.route.ts';`,
  );
  return [
    { path: `${folder}/${names.kebab}.route.ts`, content: renderFile(names, path), isNew: true },
    { path: `${folder}/${names.kebab}.operations.ts`, content: renderOperations(names), isNew: true },
    { path: `${folder}/${names.kebab}.route.spec.ts`, content: renderSpec(names), isNew: true },
    {
      path: `${app}/edge-gateway.module.ts`,
      content: insertBefore(moduleText, '  DocumentationRoute,\n', `  ${names.pascal}Route,`),
      isNew: false,
    },
  ];
}

function renderFile(names: Names, path: string): string {
  return `import { Controller, Get } from '@nestjs/common';
import { AllowAccess } from '../../http/access.ts';
import { FromCaller } from '../../http/caller.decorator.ts';
import { Describe } from '../../http/operation.ts';
import type { Caller } from '../../pipeline/caller.ts';
import { read${names.pascal} } from './${names.kebab}.operations.ts';

interface ${names.pascal} {
  readonly object: '${names.kebab.replaceAll('-', '_')}';
  readonly account_id: string;
}

/** \`GET ${path}\`: ${names.sentence.toLowerCase()} of the caller's account. */
@Controller('${path}')
@AllowAccess('api-key')
export class ${names.pascal}Route {
  @Get()
  @Describe(read${names.pascal})
  read(@FromCaller() caller: Caller): ${names.pascal} {
    return { object: '${names.kebab.replaceAll('-', '_')}', account_id: caller.accountId };
  }
}
`;
}

function renderOperations(names: Names): string {
  return `import { z } from 'zod';
import type { Operation } from '../../http/operation.ts';

const answer = z.object({ object: z.literal('${names.kebab.replaceAll('-', '_')}'), account_id: z.uuid() });

export const read${names.pascal}: Operation = {
  id: 'read${names.pascal}',
  tag: 'Account',
  summary: 'Read ${names.sentence.toLowerCase()}',
  answer: { status: 200, description: 'It is as it says.', schema: answer },
};
`;
}

function renderSpec(names: Names): string {
  return `import type { Caller } from '../../pipeline/caller.ts';
import { ${names.pascal}Route } from './${names.kebab}.route.ts';

describe('${names.sentence.toLowerCase()}', () => {
  test('is that of the account whose key was sent', () => {
    const caller = { accountId: '0199a000-0000-7000-8000-000000000001' } as Caller;
    expect(new ${names.pascal}Route().read(caller)).toMatchObject({ account_id: caller.accountId });
  });
});
`;
}
