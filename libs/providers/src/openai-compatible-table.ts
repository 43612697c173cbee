import { azureConnection } from './connections/cloud-connections.ts';
import { openAiCompatible } from './openai-compatible-row.ts';
import { ownServer } from './provider/connection-fields.ts';
import type { Provider } from './provider/provider.ts';
import { rerankRoute as rerank } from './proxies/proxy-routes.ts';
import { fireworksRerank } from './proxies/rerank-shapes.ts';
import {
  openAiVideos,
  siliconflowVideo,
  siliconflowVideos,
  togetherVideo,
  togetherVideos,
  xaiVideo,
  xaiVideos,
} from './proxies/video-shapes.ts';

/**
 * All providers that use OpenAI's format, one row for each provider. Base URLs come from the page in
 * `docsUrl`. Most base URLs were compared with the `api` field in models.dev (July 2026). Quirks come from
 * recorded responses. A provider without recordings has no quirks.
 */
export const openAiCompatibleTable: readonly Provider[] = [
  openAiCompatible({
    name: 'openai',
    displayName: 'OpenAI',
    baseUrl: 'https://api.openai.com/v1',
    docsUrl: 'https://platform.openai.com/docs/api-reference/chat',
    proxyRoutes: { 'videos/generations': { path: '/videos', videos: openAiVideos } },
    quirks: { streamUsage: 'own-chunk' },
    takesPromptCacheKey: true,
    takesCustomTools: true,
    hasResponsesModels: true,
  }),
  // The gateway's demo provider, which needs no credential.
  // The operator configures the address of the demo provider.
  openAiCompatible({
    name: 'sandbox',
    displayName: 'Sandbox',
    baseUrl: null,
    docsUrl: null,
    auth: { kind: 'none' },
    onlyProxyRoutes: { embeddings: { path: '/embeddings' } },
    takesCustomTools: true,
  }),
  openAiCompatible({
    name: 'mistral',
    displayName: 'Mistral',
    baseUrl: 'https://api.mistral.ai/v1',
    docsUrl: 'https://docs.mistral.ai/api',
    proxyRoutes: {
      completions: { path: '/fim/completions' },
      ocr: { path: '/ocr' },
      responses: null,
      'images/edits': null,
    },
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
    // The chunk of the last choice contains usage under `x_groq`.
    // Groq sends a separate usage chunk only if the client requests usage.
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
    // xAI rejects an incorrect API key with the status 400.
    credentialCheck: { path: '/models', refusedStatuses: [400, 401, 403] },
    proxyRoutes: {
      'videos/generations': { path: '/videos/generations', shape: xaiVideo, videos: xaiVideos },
    },
    quirks: { streamUsage: 'own-chunk', wholeToolArguments: true, reasoningField: 'reasoning_content' },
  }),
  openAiCompatible({
    name: 'together',
    displayName: 'Together AI',
    baseUrl: 'https://api.together.xyz/v1',
    docsUrl: 'https://docs.together.ai/docs/openai-api-compatibility',
    // See https://docs.together.ai/reference. Together's video endpoint uses version 2 of the API.
    proxyRoutes: {
      rerank,
      'videos/generations': { path: '/../v2/videos', shape: togetherVideo, videos: togetherVideos },
    },
    quirks: { streamUsage: 'last-choice', emptyToolCalls: true },
  }),
  openAiCompatible({
    name: 'fireworks',
    displayName: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    docsUrl: 'https://docs.fireworks.ai/tools-sdks/openai-compatibility',
    // See https://docs.fireworks.ai/api-reference
    proxyRoutes: { rerank: { ...rerank, shape: fireworksRerank } },
  }),
  openAiCompatible({
    name: 'openrouter',
    displayName: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    docsUrl: 'https://openrouter.ai/docs/api-reference/overview',
    credentialCheck: { path: '/key' }, // OpenRouter lists its models publicly.
    proxyRoutes: { rerank },
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
  // The international endpoint of Alibaba's API.
  // Accounts in mainland China set base_url to dashscope.aliyuncs.com/compatible-mode/v1.
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
    // See https://docs.siliconflow.com/en/api-reference
    proxyRoutes: {
      rerank,
      'videos/generations': { path: '/video/submit', shape: siliconflowVideo, videos: siliconflowVideos },
    },
  }),
  openAiCompatible({
    name: 'novita',
    displayName: 'Novita AI',
    baseUrl: 'https://api.novita.ai/openai',
    docsUrl: 'https://novita.ai/docs/guides/llm-api',
    // See https://docs.novita.ai/api-reference
    proxyRoutes: { rerank },
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
  // vLLM and Ollama run on the operator's own machine, so EGRESS_ALLOW must contain the machine's address.
  // An API key is optional for vLLM and Ollama.
  openAiCompatible({
    name: 'vllm',
    displayName: 'vLLM',
    baseUrl: 'http://127.0.0.1:8000/v1',
    docsUrl: 'https://docs.vllm.ai/en/stable/serving/openai_compatible_server.html',
    connection: ownServer,
    proxyRoutes: { rerank },
  }),
  openAiCompatible({
    name: 'ollama',
    displayName: 'Ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    docsUrl: 'https://docs.ollama.com/api/openai-compatibility',
    connection: ownServer,
    quirks: { streamUsage: 'own-chunk', wholeToolArguments: true, reasoningField: 'reasoning' },
  }),
  // Google's own adapter for OpenAI's format, an alternative to the gateway's translation.
  openAiCompatible({
    name: 'googleopenai',
    displayName: 'Google Gemini (OpenAI-compatible)',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    docsUrl: 'https://ai.google.dev/gemini-api/docs/openai',
    credentialCheck: { path: '/models', refusedStatuses: [400, 401, 403] },
    quirks: { wholeToolArguments: true },
  }),
  // Cohere's own adapter for OpenAI's format. Cohere's adapter rejects `stream_options`.
  openAiCompatible({
    name: 'cohereopenai',
    displayName: 'Cohere (OpenAI-compatible)',
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
    docsUrl: 'https://docs.cohere.com/docs/compatibility-api',
    credentialCheck: { path: '/../../v1/models?page_size=1' },
  }),
  // Each Azure resource has a separate address, which is part of the connection.
  openAiCompatible({
    name: 'azure',
    displayName: 'Azure OpenAI',
    baseUrl: null,
    docsUrl: 'https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle',
    auth: { kind: 'header', name: 'api-key' },
    connection: azureConnection,
    quirks: { streamUsage: 'own-chunk' },
    takesCustomTools: true,
    hasResponsesModels: true,
  }),
  // A server that uses OpenAI's format and is not in the provider table.
  openAiCompatible({
    name: 'custom',
    displayName: 'OpenAI-compatible server',
    baseUrl: null,
    docsUrl: null,
    connection: { required: ['base_url'], optional: ['api_key'] },
  }),
];
