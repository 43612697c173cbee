import type { FileChange, ReadFile } from './file-change.ts';
import { insertBefore, insertSorted } from './file-change.ts';
import { parseName, type Names } from './names.ts';

const app = 'apps/edge-gateway/src';

/**
 * Renders a public endpoint for API keys. The rendered files are the endpoint's folder with a controller and
 * a spec, and the endpoint's entry in the module. If the route belongs to an existing family, move the folder
 * into the family's folder. Choose the access rules by hand, in test/authz/rows.fixture.ts and
 * openapi/operation-scopes.ts.
 * @param path the public path, by default `/v1/<name>`
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
    { path: `${folder}/${names.kebab}.route.spec.ts`, content: renderSpec(names), isNew: true },
    {
      path: `${app}/edge-gateway.module.ts`,
      content: insertBefore(moduleText, '  DocumentationRoute,\n', `  ${names.pascal}Route,`),
      isNew: false,
    },
  ];
}

function renderFile(names: Names, path: string): string {
  const object = names.kebab.replaceAll('-', '_');
  const sentence = names.sentence.toLowerCase();
  return `import { Controller, Get } from '@nestjs/common';
import { z } from 'zod';
import { FromCaller, type AccountCaller } from '../../access/access.guard.ts';
import { AllowAccess, Describe, type Operation } from '../../openapi/operation.ts';

const answer = z.object({ object: z.literal('${object}'), account_id: z.uuid() });

const read${names.pascal}: Operation = {
  id: 'read${names.pascal}',
  tag: 'Account',
  summary: 'Read ${sentence}',
  answer: { status: 200, description: 'The ${sentence} of the account.', schema: answer },
};

/** \`GET ${path}\`: ${sentence} of the caller's account. */
@Controller('${path}')
@AllowAccess('api-key')
export class ${names.pascal}Route {
  @Get()
  @Describe(read${names.pascal})
  read(@FromCaller() { accountId }: AccountCaller): z.infer<typeof answer> {
    return { object: '${object}', account_id: accountId };
  }
}
`;
}

function renderSpec(names: Names): string {
  return `import type { AccountCaller } from '../../access/access.guard.ts';
import { ${names.pascal}Route } from './${names.kebab}.route.ts';

test('reads the ${names.sentence.toLowerCase()} of the caller’s account', () => {
  const by = { keyId: null, personId: null };
  const origin = { address: '203.0.113.7', userAgent: null, requestId: '0199a000-0000-7000-8000-000000000002' };
  const caller: AccountCaller = {
    ...{ accountId: '0199a000-0000-7000-8000-000000000001', ...by, actor: { ...origin, ...by } },
  };
  expect(new ${names.pascal}Route().read(caller)).toMatchObject({ account_id: caller.accountId });
});
`;
}
