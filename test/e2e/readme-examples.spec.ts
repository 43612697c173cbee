import { PageFolder, readBlocks } from './pages.fixture.ts';

const blocks = readBlocks('README.md');
const examples = blocks
  .filter(({ language }) => language === 'js')
  .map(({ text }) => ({ sdk: /from '([^']+)'/.exec(text)?.[1] ?? '', text }));
const firstRequest = blocks.find(({ text }) => text.includes('curl $BASE/v1/chat/completions'));
const settings = blocks.find(({ text }) => text.startsWith('export '));

let folder: PageFolder;
beforeAll(() => {
  folder = new PageFolder();
});
afterAll(() => folder.remove());

it('the first request of the README is answered', async () => {
  const answer: unknown = JSON.parse(await folder.run(firstRequest?.text ?? ''));
  expect(answer).toMatchObject({
    choices: [{ message: { content: 'The sandbox heard: Hello!' }, finish_reason: 'stop' }],
  });
});

it('the README has one example for each SDK', () => {
  expect(examples.map(({ sdk }) => sdk)).toEqual([
    'openai',
    '@anthropic-ai/sdk',
    '@aws-sdk/client-bedrock-runtime',
    '@ai-sdk/openai',
    '@openai/agents',
  ]);
});

it.each(examples)('the example for $sdk prints what its comments claim', async ({ text }) => {
  const claimed = [...text.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, output]) => output);
  expect(claimed).not.toHaveLength(0);
  const [values = ''] = firstRequest?.text.split('\ncurl') ?? [];
  const output = await folder.runProgram(text, `${values}\n${settings?.text ?? ''}`);
  expect(output.trimEnd().split('\n')).toEqual(claimed);
});
