/** Runs the quick start and the SDK examples of the guides, as the pages show them, with the sandbox's model. */
import { join } from 'node:path';
import { sharedStack, type ReplayProvider } from '@gateway/testing';
import { z } from 'zod';
import { installPackage } from '../../tools/agent/install-package.ts';
import { eventually } from '../integration/stack.fixture.ts';
import { createTestAccount, type TestAccount } from './account.fixture.ts';
import { send } from './http.fixture.ts';
import { PageFolder, readBlocks, repository } from './pages.fixture.ts';
import { plainAnswer, startProvider } from './provider.fixture.ts';

const shellBlocks = (page: string): string[] =>
  readBlocks(page)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text);
const programsOf = (page: string): string[] =>
  readBlocks(page)
    .filter(({ language }) => language === 'ts')
    .map(({ text }) => text);

const installsWithinMs = 300_000;
const logged = z.object({
  data: z.array(
    z.looseObject({ status: z.string(), endpoint: z.string(), model: z.string(), key_id: z.string() }),
  ),
});
const created = z.object({ id: z.string(), key: z.string() });

describe('the quick start with npm', () => {
  const [, request = '', connect = '', figures = ''] = shellBlocks('docs/guides/quick-start.md');
  let folder: PageFolder;
  let provider: ReplayProvider;
  beforeAll(async () => {
    folder = new PageFolder();
    provider = await startProvider();
    provider.setControls(plainAnswer);
  });
  afterAll(async () => {
    const [values = ''] = request.split('\ncurl');
    const authorization = '-H "Authorization: Bearer $KEY"';
    await folder.run(`${values}\ncurl -s -X DELETE $BASE/v1/account/providers/openai ${authorization}`);
    folder.remove();
    await provider.close();
  });

  it('each command works, from the first request to the savings', async () => {
    // The provider of the test replaces OpenAI.
    const key = `sk-0123456789","base_url":"${provider.url}/v1`;
    expect(connect).toContain('sk-…');
    const output = await folder.run(
      [request, 'echo', connect.replace('sk-…', key), 'echo', figures.replace('\n', '; echo\n')].join('\n'),
    );
    const [answer, connection, summary, log] = output
      .split('\n')
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line));
    expect(answer).toMatchObject({
      choices: [{ message: { content: 'The sandbox heard: Hello!' }, finish_reason: 'stop' }],
    });
    expect(connection).toMatchObject({ provider: 'openai', connected: true });
    expect(summary).toMatchObject({ requests: expect.any(Number) as number });
    expect(logged.parse(log).data).toHaveLength(1);
  });
});

describe('the migration from LiteLLM', () => {
  const page = 'docs/guides/migration.md';
  const [config = ''] = readBlocks(page)
    .filter(({ language }) => language === 'yaml')
    .map(({ text }) => text);
  const [dryRun = '', apply = ''] = shellBlocks(page);
  let folder: PageFolder;
  let provider: ReplayProvider;
  let account: TestAccount;
  beforeAll(async () => {
    folder = new PageFolder();
    provider = await startProvider();
    provider.setControls(plainAnswer);
    account = await createTestAccount(sharedStack());
  });
  afterAll(async () => {
    folder.remove();
    await provider.close();
  });

  /** The test's provider replaces the providers of the example. */
  const runImport = (commands: string): Promise<string> => {
    const url = `${provider.url}/v1`;
    const replaced = config
      .replace('http://127.0.0.1:8000/v1', url)
      .replace('api_key: os.environ/ANTHROPIC_API_KEY', `$&\n      api_base: ${url}`);
    folder.write('config.yaml', replaced);
    const gateway = `export GATEWAY_URL=${sharedStack().baseUrl} GATEWAY_API_KEY=${account.apiKey}`;
    const inCheckout = commands
      .replace('npm run', `npm run -s --prefix "${repository}"`)
      .replace('config.yaml', '"$PWD/config.yaml"')
      .replace('sk-ant-…', 'sk-ant-0123456789');
    return folder.run(`${gateway}\n${inCheckout}`);
  };

  it('the dry run prints the requests and names every other field', async () => {
    const output = await runImport(dryRun);
    expect(output.match(/^PUT \S+/gm)).toEqual([
      ...['PUT /v1/account/providers', 'PUT /v1/account/providers'],
      ...['PUT /v1/account/models/anthropic/claude-sonnet-4-5', 'PUT /v1/account/models/vllm/house-model-8b'],
      'PUT /v1/account/routing/preferences',
    ]);
    expect(output).toContain('"api_key":"$ANTHROPIC_API_KEY"');
    expect(output.match(/^ {2}[\w.[\]]+(?=: )/gm)?.map((field) => field.trim())).toEqual([
      ...['model_list[0].litellm_params.rpm', 'general_settings.master_key'],
    ]);
  });

  it('after the import, requests with the names of LiteLLM are answered', async () => {
    await runImport(apply);
    const body = { model: 'house', messages: [{ role: 'user', content: 'Hello!' }] };
    const sent = { method: 'POST', path: '/v1/chat/completions', key: account.apiKey, body };
    const answer = await send(sharedStack().baseUrl, sent);
    expect([answer.status, answer.json()]).toMatchObject([
      200,
      { choices: [{ message: { content: 'Hello.' } }] },
    ]);
  });
});

/** Values that the examples use but do not define. */
const tool = { name: 'list_issues', description: 'Lists the open issues.' };
const schema = "{ type: 'object', properties: {} }";
const hello = "const messages = [{ role: 'user', content: 'Hello!' }];";
const functionTools = `const tools = [{ type: 'function', function: { ...${JSON.stringify(tool)}, parameters: ${schema} } }];`;
const zodTool = `{ ...${JSON.stringify(tool)}, PARAMETERS: z.object({}), execute: () => 'none' }`;
const zodImport = "import { z } from 'zod';";

interface Example {
  readonly title: string;
  readonly page: string;
  /** The numbers of the page's blocks that form the program. */
  readonly blocks: readonly number[];
  readonly before: string;
  readonly after?: string;
  readonly endpoint: string;
}

const vercelTools = `import { tool as toolOfTest } from 'ai';\n${zodImport}\nconst tools = { list_issues: toolOfTest(${zodTool.replace('PARAMETERS', 'inputSchema')}) };`;
const agents = 'docs/guides/agents';
const withOwnPackages: Example[] = [
  {
    title: 'OpenAI',
    page: 'docs/guides/agents-and-sdks.md',
    blocks: [0],
    before: `${hello}\n${functionTools}`,
    endpoint: '/v1/chat/completions',
  },
  {
    title: 'Anthropic',
    page: 'docs/guides/agents-and-sdks.md',
    blocks: [1],
    before: `${hello}\nconst tools = [{ ...${JSON.stringify(tool)}, input_schema: ${schema} }];`,
    endpoint: '/v1/messages',
  },
  {
    title: 'AWS Bedrock runtime',
    page: 'docs/guides/agents-and-sdks.md',
    blocks: [2],
    before: `const messages = [{ role: 'user', content: [{ text: 'Hello!' }] }];
const toolConfig = { tools: [{ toolSpec: { ...${JSON.stringify(tool)}, inputSchema: { json: ${schema} } } }] };`,
    endpoint: '/model/{id}/converse',
  },
  {
    title: 'the Vercel AI SDK with chat completions',
    page: `${agents}/vercel-ai-sdk.md`,
    blocks: [0],
    before: vercelTools,
    endpoint: '/v1/chat/completions',
  },
  {
    title: 'the Vercel AI SDK with the Responses API',
    page: `${agents}/vercel-ai-sdk.md`,
    blocks: [0, 1],
    before: vercelTools,
    endpoint: '/v1/responses',
  },
  {
    title: 'the OpenAI Agents SDK',
    page: `${agents}/openai-agents-sdk.md`,
    blocks: [0],
    before: `import { tool as toolOfTest } from '@openai/agents';\n${zodImport}\nconst tools = [toolOfTest(${zodTool.replace('PARAMETERS', 'parameters')})];`,
    endpoint: '/v1/chat/completions',
  },
];
const withPinnedPackages: Example[] = [
  {
    title: 'LangChain with ChatOpenAI',
    page: `${agents}/langchain.md`,
    blocks: [0, 2],
    before: '',
    endpoint: '/v1/chat/completions',
  },
  {
    title: 'LangChain with ChatAnthropic',
    page: `${agents}/langchain.md`,
    blocks: [1, 2],
    before: '',
    endpoint: '/v1/messages',
  },
  {
    title: 'Mastra',
    page: `${agents}/mastra.md`,
    blocks: [0, 2],
    before: 'const tools = {};',
    endpoint: '/v1/chat/completions',
  },
  {
    title: 'Mastra with a model of the Vercel AI SDK',
    page: `${agents}/mastra.md`,
    blocks: [1, 2],
    before: `import { Agent } from '@mastra/core/agent';
const agentOf = (model) => new Agent({ id: 'helper', name: 'Helper', instructions: 'You help.', model });`,
    after: 'const agent = agentOf(model);',
    endpoint: '/v1/chat/completions',
  },
];

/** Joins blocks into a program. Blocks that define the same name get their own scopes. */
function renderProgram({ page, blocks, before, after = '' }: Example): string {
  const [first = '', ...others] = blocks.map((at) => programsOf(page)[at] ?? '');
  const constants = 'const { BASE, KEY } = process.env;';
  const program = [constants, before, first, after, ...others.map((text) => `{\n${text}}`)].join('\n');
  return program.replaceAll(/(openai\/gpt|anthropic\/claude)[\w.-]*/g, 'sandbox/sandbox-1');
}

/** Runs an example with a new key, and checks the request log with the commands of the page on agents. */
async function runExample(folder: PageFolder, example: Example): Promise<void> {
  const [, values = '', createKey = '', check = ''] = shellBlocks(`${agents}/README.md`);
  const { id, key } = created.parse(JSON.parse(await folder.run(`${values}\n${createKey}`)));
  await folder.runProgram(renderProgram(example), `${values}\nexport BASE KEY=${key}`);
  const row = await eventually(async () => {
    const [newest] = logged.parse(JSON.parse(await folder.run(`${values}\n${check}`))).data;
    return newest?.key_id === id ? newest : undefined;
  });
  expect(row).toMatchObject({ status: 'ok', endpoint: example.endpoint, model: 'sandbox-1' });
}

describe('SDKs', () => {
  let folder: PageFolder;
  beforeAll(() => {
    folder = new PageFolder();
  });
  afterAll(() => folder.remove());

  it.each(withOwnPackages)('a request of the example for $title is answered', (example) =>
    runExample(folder, example),
  );
});

describe('frameworks', () => {
  let folder: PageFolder;
  beforeAll(async () => {
    folder = new PageFolder(join(await installPackage('frameworks'), 'node_modules'));
  }, installsWithinMs);
  afterAll(() => folder.remove());

  it.each(withPinnedPackages)('a request of the example for $title is answered', (example) =>
    runExample(folder, example),
  );
});

it('the test runs every example of its pages', () => {
  const examples = [...withOwnPackages, ...withPinnedPackages];
  for (const page of new Set(examples.map((each) => each.page))) {
    const run = new Set(examples.filter((each) => each.page === page).flatMap(({ blocks }) => blocks));
    expect([page, [...run].sort()]).toEqual([page, programsOf(page).map((_, at) => at)]);
  }
});
