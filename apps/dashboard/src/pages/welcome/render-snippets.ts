interface SnippetValues {
  readonly baseUrl: string;
  readonly key: string;
  readonly model: string;
}

export interface Snippet {
  readonly name: string;
  readonly code: string;
}

/** A first request by each SDK whose format the gateway speaks. */
export function renderSnippets({ baseUrl, key, model }: SnippetValues): readonly Snippet[] {
  return [
    {
      name: 'curl',
      code: `curl ${baseUrl}/v1/chat/completions \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model":"${model}","messages":[{"role":"user","content":"Hello!"}]}'`,
    },
    {
      name: 'OpenAI, Python',
      code: `from openai import OpenAI

client = OpenAI(base_url="${baseUrl}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      name: 'OpenAI, TypeScript',
      code: `import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${baseUrl}/v1', apiKey: '${key}' });
const answer = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(answer.choices[0]?.message.content);`,
    },
    {
      name: 'Anthropic, Python',
      code: `from anthropic import Anthropic

client = Anthropic(base_url="${baseUrl}", auth_token="${key}")
answer = client.messages.create(
    model="${model}",
    max_tokens=1024,
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.content[0].text)`,
    },
    {
      name: 'Anthropic, TypeScript',
      code: `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic({ baseURL: '${baseUrl}', authToken: '${key}' });
const answer = await client.messages.create({
  model: '${model}',
  max_tokens: 1024,
  messages: [{ role: 'user', content: 'Hello!' }],
});
console.log(answer.content);`,
    },
    {
      name: 'AWS, Converse',
      code: `import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';

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
console.log(answer.output?.message?.content);`,
    },
  ];
}
