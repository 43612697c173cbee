import type { ConnectionShape } from './connections/connection-fields.ts';
import { azureConnection } from './connections/azure.ts';
import { ownServer } from './connections/connection-fields.ts';
import type { AuthScheme, Provider, ProviderQuirks } from './provider.ts';

interface OpenAiCompatibleRow {
  readonly name: string;
  readonly displayName: string;
  readonly baseUrl: string | null;
  readonly docsUrl: string | null;
  readonly auth?: AuthScheme;
  readonly connection?: ConnectionShape;
  readonly quirks?: ProviderQuirks;
}

const openAiCompatible = ({ auth, quirks, ...row }: OpenAiCompatibleRow): Provider => ({
  ...row,
  auth: auth ?? { kind: 'bearer' },
  chatPaths: { 'chat-completions': '/chat/completions' },
  quirks: quirks ?? {},
});

/**
 * Every provider that speaks OpenAI's format, one row each, and nothing else.
 * Base URLs are the ones of the page in `docsUrl`, checked against the `api` field of models.dev (July 2026) where it
 * has one. Quirks are what recorded answers of the provider show; a provider without recordings has none set.
 */
export const openAiCompatibleTable: readonly Provider[] = [
  openAiCompatible({
    name: 'openai',
    displayName: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    docsUrl: 'https://platform.openai.com/docs/api-reference/chat',
    quirks: { streamUsage: 'own-chunk' },
  }),
  // Our own demo provider: its address comes from the operator's configuration, and it asks for no credential.
  openAiCompatible({
    name: 'sandbox',
    displayName: 'Sandbox',
    baseUrl: null,
    docsUrl: null,
    auth: { kind: 'none' },
  }),
  openAiCompatible({
    name: 'mistral',
    displayName: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    docsUrl: 'https://docs.mistral.ai/api',
    quirks: {
      streamUsage: 'last-choice',
      emptyToolCalls: true,
      wholeToolArguments: true,
      contentParts: true,
    },
  }),
  openAiCompatible({
    name: 'groq',
    displayName: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    docsUrl: 'https://console.groq.com/docs/openai',
    // Usage also comes in the last choice's chunk, under `x_groq`; the chunk of its own only when it is asked for.
    quirks: { streamUsage: 'last-choice', wholeToolArguments: true, reasoningField: 'reasoning' },
  }),
  openAiCompatible({
    name: 'deepseek',
    displayName: 'DeepSeek',
    baseUrl: 'https://api.deepseek.com/v1',
    docsUrl: 'https://api-docs.deepseek.com/',
    quirks: { streamUsage: 'last-choice', reasoningField: 'reasoning_content' },
  }),
  openAiCompatible({
    name: 'xai',
    displayName: 'xAI',
    baseUrl: 'https://api.x.ai/v1',
    docsUrl: 'https://docs.x.ai/docs/api-reference',
    quirks: { streamUsage: 'own-chunk', wholeToolArguments: true, reasoningField: 'reasoning_content' },
  }),
  openAiCompatible({
    name: 'together',
    displayName: 'Together AI',
    baseUrl: 'https://api.together.xyz/v1',
    docsUrl: 'https://docs.together.ai/docs/openai-api-compatibility',
    quirks: { streamUsage: 'last-choice', emptyToolCalls: true },
  }),
  openAiCompatible({
    name: 'fireworks',
    displayName: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    docsUrl: 'https://docs.fireworks.ai/tools-sdks/openai-compatibility',
  }),
  openAiCompatible({
    name: 'openrouter',
    displayName: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    docsUrl: 'https://openrouter.ai/docs/api-reference/overview',
    quirks: { streamUsage: 'last-choice', reasoningField: 'reasoning' },
  }),
  openAiCompatible({
    name: 'perplexity',
    displayName: 'Perplexity',
    baseUrl: 'https://api.perplexity.ai',
    docsUrl: 'https://docs.perplexity.ai/guides/chat-completions-guide',
    quirks: { streamUsage: 'every-chunk', streamEndsWithoutDone: true },
  }),
  openAiCompatible({
    name: 'cerebras',
    displayName: 'Cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    docsUrl: 'https://inference-docs.cerebras.ai/resources/openai',
    quirks: { reasoningField: 'reasoning' },
  }),
  openAiCompatible({
    name: 'deepinfra',
    displayName: 'DeepInfra',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    docsUrl: 'https://deepinfra.com/docs/openai_api',
  }),
  openAiCompatible({
    name: 'sambanova',
    displayName: 'SambaNova',
    baseUrl: 'https://api.sambanova.ai/v1',
    docsUrl: 'https://docs.sambanova.ai/docs/en/features/openai-compatibility',
  }),
  openAiCompatible({
    name: 'nebius',
    displayName: 'Nebius Token Factory',
    baseUrl: 'https://api.tokenfactory.nebius.com/v1',
    docsUrl: 'https://docs.tokenfactory.nebius.com/',
  }),
  openAiCompatible({
    name: 'moonshot',
    displayName: 'Moonshot AI',
    baseUrl: 'https://api.moonshot.ai/v1',
    docsUrl: 'https://platform.moonshot.ai/docs/api/chat',
    quirks: { streamUsage: 'last-choice', reasoningField: 'reasoning_content' },
  }),
  openAiCompatible({
    name: 'zai',
    displayName: 'Z.ai',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    docsUrl: 'https://docs.z.ai/guides/develop/openai/python',
    quirks: { streamUsage: 'last-choice', wholeToolArguments: true, reasoningField: 'reasoning_content' },
  }),
  // The international endpoint; an account of mainland China sets base_url to dashscope.aliyuncs.com/compatible-mode/v1.
  openAiCompatible({
    name: 'dashscope',
    displayName: 'Qwen (DashScope)',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    docsUrl: 'https://www.alibabacloud.com/help/en/model-studio/compatibility-of-openai-with-dashscope',
    quirks: { streamUsage: 'own-chunk', reasoningField: 'reasoning_content' },
  }),
  openAiCompatible({
    name: 'siliconflow',
    displayName: 'SiliconFlow',
    baseUrl: 'https://api.siliconflow.com/v1',
    docsUrl: 'https://docs.siliconflow.com/en/api-reference/chat-completions/chat-completions',
  }),
  openAiCompatible({
    name: 'novita',
    displayName: 'Novita AI',
    baseUrl: 'https://api.novita.ai/openai',
    docsUrl: 'https://novita.ai/docs/guides/llm-api',
  }),
  openAiCompatible({
    name: 'nvidia',
    displayName: 'NVIDIA NIM',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    docsUrl: 'https://docs.api.nvidia.com/nim/reference/llm-apis',
  }),
  openAiCompatible({
    name: 'huggingface',
    displayName: 'Hugging Face',
    baseUrl: 'https://router.huggingface.co/v1',
    docsUrl: 'https://huggingface.co/docs/inference-providers/index',
    quirks: { streamUsage: 'own-chunk', emptyToolCalls: true },
  }),
  // The two below run on a machine of the operator's own: EGRESS_ALLOW has to name its address. A key is optional.
  openAiCompatible({
    name: 'vllm',
    displayName: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000/v1',
    docsUrl: 'https://docs.vllm.ai/en/stable/serving/openai_compatible_server.html',
    connection: ownServer,
  }),
  openAiCompatible({
    name: 'ollama',
    displayName: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    docsUrl: 'https://docs.ollama.com/api/openai-compatibility',
    connection: ownServer,
    quirks: { streamUsage: 'own-chunk', wholeToolArguments: true, reasoningField: 'reasoning' },
  }),
  // Google's own translation of OpenAI's format, for who wants that instead of ours.
  openAiCompatible({
    name: 'googleopenai',
    displayName: 'Google Gemini (OpenAI-compatible)',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    docsUrl: 'https://ai.google.dev/gemini-api/docs/openai',
    quirks: { wholeToolArguments: true },
  }),
  // Cohere's own translation of OpenAI's format. It refuses stream_options.
  openAiCompatible({
    name: 'cohereopenai',
    displayName: 'Cohere (OpenAI-compatible)',
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
    docsUrl: 'https://docs.cohere.com/docs/compatibility-api',
  }),
  // Each resource has an address of its own, which the connection names.
  openAiCompatible({
    name: 'azure',
    displayName: 'Azure OpenAI',
    baseUrl: null,
    docsUrl: 'https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle',
    auth: { kind: 'header', name: 'api-key' },
    connection: azureConnection,
    quirks: { streamUsage: 'own-chunk' },
  }),
  // Any other server of the format, wherever it is.
  openAiCompatible({
    name: 'custom',
    displayName: 'OpenAI-compatible server',
    baseUrl: null,
    docsUrl: null,
    connection: { required: ['base_url'], optional: ['api_key'] },
  }),
];
