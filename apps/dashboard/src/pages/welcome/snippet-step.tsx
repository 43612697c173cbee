import { Tabs } from '@mantine/core';
import { CodeBlock } from '../../components/copy.tsx';
import { Step } from './step.tsx';

export function SnippetStep({ secret }: { readonly secret: string | null }) {
  const snippets = renderSnippets({
    baseUrl: window.location.origin,
    key: secret ?? 'sk-svc-…',
    model: 'sandbox/sandbox-1',
  });
  return (
    <Step
      number={4}
      title="Point your agent at the gateway"
      description="Keep your SDK. Put the name of a connected provider before the model, for example openai/gpt-4o-mini, or let the gateway choose a model with svc/auto."
    >
      <Tabs defaultValue={snippets[0]?.name ?? null} keepMounted={false}>
        <Tabs.List aria-label="SDK">
          {snippets.map(({ name }) => (
            <Tabs.Tab key={name} value={name}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {snippets.map(({ name, code }) => (
          <Tabs.Panel key={name} value={name} pt="sm">
            <CodeBlock code={code} label={`${name} snippet`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Step>
  );
}

interface SnippetValues {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
}

interface Snippet {
  readonly name: string;
  readonly code: string;
}

type Render = (values: SnippetValues) => string;

const renderCurl: Render = ({ baseUrl, key, model }) => `curl ${baseUrl}/v1/chat/completions \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"Hello!"}]}'`;

const renderOpenAiPython: Render = ({ baseUrl, key, model }) => `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.choices[0].message.content)`;

const renderOpenAiTypeScript: Render = ({ baseUrl, key, model }) => `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: '${key}' });
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(answer.choices[0]?.message.content);`;

const renderAnthropicPython: Render = ({ baseUrl, key, model }) => `from anthropic import Anthropic

client = Anthropic(base_url="${baseUrl}", auth_token="${key}")
answer = client.messages.create(
    model="${model}",
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.content[0].text)`;

const renderAnthropicTypeScript: Render = ({
  baseUrl,
  key,
  model,
}) => `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${baseUrl}', authToken: '${key}' });
const answer = await client.messages.create({
  model: '${model}',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(answer.content);`;

const renderConverse: Render = ({
  baseUrl,
  key,
  model,
}) => `import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';

const client = new BedrockRuntimeClient({
  endpoint: '${baseUrl}',
  region: 'us-east-1',
  token: { token: '${key}' },
  authSchemePreference: ['httpBearerAuth'],
});
const answer = await client.send(
  new ConverseCommand({
    modelId: '${model}',
    messages: [{ role: 'user', content: [{ text: 'Hello!' }] }],
  }),
);
console.log(answer.output?.message?.content);`;

/** Code snippets, one per SDK that the gateway supports. */
const renders: readonly (readonly [name: string, render: Render])[] = [
  ['curl', renderCurl],
  ['OpenAI, Python', renderOpenAiPython],
  ['OpenAI, TypeScript', renderOpenAiTypeScript],
  ['Anthropic, Python', renderAnthropicPython],
  ['Anthropic, TypeScript', renderAnthropicTypeScript],
  ['AWS, Converse', renderConverse],
];

/** Shows a first request with each SDK. */
function renderSnippets(values: SnippetValues): readonly Snippet[] {
  return renders.map(([name, render]) => ({ name, code: render(values) }));
}
