import { refuse } from './check-credential.ts';

/** Prefixes that show which company issued a key, and the providers that accept keys with the prefix. */
const issuers: readonly (readonly [prefix: RegExp, issuer: string, provider: readonly string[]])[] = [
  [/^sk-svc-/, 'this gateway', []],
  [/^sk-ant-/, 'Anthropic', ['anthropic']],
  [/^sk-or-v1-/, 'OpenRouter', ['openrouter']],
  [/^sk-proj-/, 'OpenAI', ['openai']],
  [/^AIza/, 'Google', ['google', 'googleopenai', 'vertex']],
  [/^gsk_/, 'Groq', ['groq']],
  [/^xai-/, 'xAI', ['xai']],
  [/^hf_/, 'Hugging Face', ['huggingface']],
  [/^nvapi-/, 'NVIDIA', ['nvidia']],
  [/^pplx-/, 'Perplexity', ['perplexity']],
  [/^csk-/, 'Cerebras', ['cerebras']],
  [/^(AKIA|ASIA)[A-Z0-9]{16}$/, 'AWS (an access key id belongs in "access_key_id")', []],
];
const placeholder = /^<|your[-_](?:[a-z]+[-_])?(?:key|token)|x{8}|\*{4}/i;

/**
 * Rejects an API key that another company issued, an API key of this gateway, and a placeholder.
 * @param param the field's name
 * @throws GatewayError `invalid_field`, with the name of the field and the fix
 */
export function checkIssuer(param: string, provider: string, key: string): void {
  if (placeholder.test(key))
    throw refuse(param, 'holds a placeholder. Replace it with the key from the provider.');
  const known = issuers.find(([prefix]) => prefix.test(key));
  if (known === undefined || known[2].includes(provider)) return;
  throw refuse(param, `holds a key of ${known[1]}. Send the key that ${provider} issued.`);
}
