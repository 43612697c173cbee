import type { FileChange, ReadFile } from './file-change.ts';
import { insertBefore, insertSorted } from './file-change.ts';
import { parseName, type Names } from './names.ts';

const contractsFolder = 'libs/contracts/src';

/**
 * Renders the RPC contract of a call between services, with its export and its row in the contract table.
 * Renders a function in the app that serves the contract, and a method in the controller of the contract's
 * family. For a new family, also renders a controller and its entry in the app's module.
 * @param subject the contract's name `<server>.<verb-noun>`, such as `account.rotate-key`, where the server is an app.
 * @param family the folder of the controller in the app, like `keys`.
 * @throws Error for an unknown server or a name in use
 */
export function renderContract(subject: string, family: string, read: ReadFile): FileChange[] {
  const [server = '', name = ''] = subject.split('.');
  if (!read(`${contractsFolder}/base/define.ts`).includes(`| '${server}'`))
    throw new Error(`"${server}" is not a service of the gateway`);
  const names = parseName(name);
  const place = { source: `apps/${server}/src`, server, family: parseName(family), names };
  return [...renderLibraryChanges(server, names, read), ...renderServerChanges(place, read)];
}

function renderLibraryChanges(server: string, names: Names, read: ReadFile): FileChange[] {
  const file = `rpc/${names.kebab}.v1.ts`;
  const table = insertSorted(
    read(`${contractsFolder}/contract-table.ts`),
    /^import .* from '\.\/rpc\//,
    `import { ${names.camel} } from './${file}';`,
  );
  return [
    { path: `${contractsFolder}/${file}`, content: renderContractFile(server, names), isNew: true },
    {
      path: `${contractsFolder}/index.ts`,
      content: insertSorted(
        read(`${contractsFolder}/index.ts`),
        /^export \* from '\.\/rpc\//,
        `export * from './${file}';`,
      ),
      isNew: false,
    },
    {
      path: `${contractsFolder}/contract-table.ts`,
      content: insertBefore(table, '\n];', `\n  ${names.camel},`),
      isNew: false,
    },
  ];
}

interface Place {
  /** Returns the source folder of the app that serves the contract. */
  readonly source: string;
  readonly server: string;
  readonly family: Names;
  readonly names: Names;
}

function renderServerChanges({ source, server, family, names }: Place, read: ReadFile): FileChange[] {
  const folder = `${source}/${family.kebab}`;
  const controller = `${folder}/${family.kebab}.controller.ts`;
  const existing = readIfThere(controller, read);
  const handler = { path: `${folder}/${names.kebab}.ts`, content: renderFunctionFile(names), isNew: true };
  if (existing !== null) {
    return [handler, { path: controller, content: addMethod(existing, names), isNew: false }];
  }
  const module = `${source}/${server}.module.ts`;
  return [
    handler,
    { path: controller, content: renderControllerFile(family, names), isNew: true },
    { path: module, content: addController(read(module), family), isNew: false },
  ];
}

function readIfThere(path: string, read: ReadFile): string | null {
  try {
    return read(path);
  } catch {
    return null;
  }
}

const contractsImport = /import \{([^}]*)\} from '@gateway\/contracts';/;

function addMethod(controller: string, names: Names): string {
  const imported = contractsImport.exec(controller)?.[1];
  if (imported === undefined) throw new Error('the controller imports no contracts');
  const contracts = [...imported.split(',').map((name) => name.trim()), renderAlias(names)]
    .filter((name) => name !== '')
    .sort();
  const withContract = controller.replace(
    contractsImport,
    `import { ${contracts.join(', ')} } from '@gateway/contracts';`,
  );
  const withFunction = insertSorted(withContract, /^import .* from '\.\//, renderFunctionImport(names));
  return withFunction.replace(/\n\}\n$/, () => `\n\n${renderMethod(names)}}\n`);
}

function addController(module: string, family: Names): string {
  const name = `${family.pascal}Controller`;
  const imported = insertSorted(
    module,
    /^import .* from '\.\//,
    `import { ${name} } from './${family.kebab}/${family.kebab}.controller.ts';`,
  );
  const list = 'controllers: [';
  if (imported.split(list).length !== 2) throw new Error(`expected once in the module: ${list}`);
  return imported.replace(list, `${list}${name}, `);
}

const renderAlias = ({ camel }: Names) => `${camel} as ${camel}Contract`;
const renderFunctionImport = ({ camel, kebab }: Names) => `import { ${camel} } from './${kebab}.ts';`;

function renderMethod({ camel }: Names): string {
  return `  @RpcHandler(${camel}Contract)
  async ${camel}(request: ParsedRequestOf<typeof ${camel}Contract>): Promise<ReplyOf<typeof ${camel}Contract>> {
    await ${camel}(request);
    return {};
  }
`;
}

function renderControllerFile(family: Names, names: Names): string {
  return `import { ${renderAlias(names)} } from '@gateway/contracts';
import type { ParsedRequestOf, ReplyOf } from '@gateway/messaging';
import { RpcHandler } from '@gateway/messaging/nest-transport';
import { Controller } from '@nestjs/common';
${renderFunctionImport(names)}

/** Serves the contracts of ${family.sentence.toLowerCase()}. */
@Controller()
export class ${family.pascal}Controller {
${renderMethod(names)}}
`;
}

/** Renders the function that the developer then writes. */
function renderFunctionFile({ camel, sentence }: Names): string {
  // Until the developer writes the function, each call fails, so that no caller mistakes an empty function for success.
  return `/** ${sentence}. */
export async function ${camel}({ accountId }: { readonly accountId: string }): Promise<void> {
  await Promise.reject(new Error(\`not implemented for account \${accountId}\`));
}
`;
}

function renderContractFile(server: string, names: Names): string {
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
