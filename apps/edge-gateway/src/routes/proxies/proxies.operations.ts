import type { ErrorCode } from '@gateway/errors';
import type { ProxyEndpoint } from '@gateway/providers';
import { z } from 'zod';
import type { Operation } from '../../openapi/operation.ts';

const model = z.string().max(512).meta({
  description: 'A model that one connected provider has, or `<provider>/<model>`.',
});

const errors: readonly ErrorCode[] = [
  'missing_field',
  'malformed_json',
  'malformed_multipart',
  'unsupported_media_type',
  'request_too_large',
  'model_not_found',
  'ambiguous_model',
  'endpoint_not_supported',
  'provider_not_connected',
  'rate_limit_exceeded',
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_invalid',
];

interface Proxied {
  readonly id: string;
  readonly summary: string;
  readonly body: z.ZodRawShape;
  readonly contentType?: string;
  readonly answer?: string;
  readonly streams?: boolean;
}

const described: Readonly<Record<ProxyEndpoint, Proxied>> = {
  completions: {
    id: 'createCompletion',
    summary: 'Text completions',
    body: { prompt: z.unknown() },
    streams: true,
  },
  embeddings: { id: 'createEmbedding', summary: 'Embeddings', body: { input: z.unknown() } },
  responses: { id: 'createResponse', summary: 'Responses API', body: { input: z.unknown() }, streams: true },
  'images/generations': {
    id: 'generateImage',
    summary: 'Image generation',
    body: { prompt: z.string() },
    streams: true,
  },
  'images/edits': {
    id: 'editImage',
    summary: 'Image editing',
    body: { image: z.unknown(), prompt: z.string() },
    contentType: 'multipart/form-data',
  },
  'images/variations': {
    id: 'varyImage',
    summary: 'Image variations',
    body: { image: z.unknown() },
    contentType: 'multipart/form-data',
  },
  'audio/transcriptions': {
    id: 'transcribeAudio',
    summary: 'Audio transcription',
    body: { file: z.unknown() },
    contentType: 'multipart/form-data',
    streams: true,
  },
  'audio/speech': {
    id: 'createSpeech',
    summary: 'Text to speech',
    body: { input: z.string(), voice: z.unknown() },
    answer: 'audio/mpeg',
  },
  moderations: { id: 'createModeration', summary: 'Moderation', body: { input: z.unknown() } },
  rerank: {
    id: 'rerank',
    summary: 'Rerank',
    body: { query: z.string(), documents: z.array(z.unknown()) },
  },
  ocr: { id: 'readDocument', summary: 'OCR', body: { document: z.unknown() } },
  'videos/generations': {
    id: 'generateVideo',
    summary: 'Video generation',
    body: { prompt: z.string() },
  },
};

/** What a proxied endpoint takes and answers. Beyond `model` the gateway reads nothing: shapes are the provider's. */
export function describeProxy(endpoint: ProxyEndpoint): Operation {
  const { id, summary, body, contentType, answer, streams } = described[endpoint];
  const optional = Object.fromEntries(Object.keys(body).map((name) => [name, z.unknown()]));
  return {
    id,
    tag: 'Proxies',
    summary,
    description:
      'Passed on as it came to the provider of `model`, with that provider’s stored credential; the answer comes back byte for byte. Nothing is planned, pruned, compressed or kept but figures.',
    body: {
      schema: z.looseObject({ model, ...optional }),
      ...(contentType === undefined ? {} : { contentType }),
    },
    answer: {
      status: 200,
      description: 'What the provider answered.',
      ...(answer === undefined ? { schema: z.looseObject({}) } : { contentType: answer, schema: z.string() }),
      headers: {
        'x-svc-provider': 'The provider that was called.',
        'x-svc-model': 'The model in that provider’s spelling.',
        'x-svc-overhead-ms': 'Milliseconds from the request’s arrival to its being forwarded.',
      },
      ...(streams
        ? {
            streams: {
              contentType: 'text/event-stream',
              description: 'With `stream: true`: the provider’s events.',
            },
          }
        : {}),
    },
    errors,
  };
}
