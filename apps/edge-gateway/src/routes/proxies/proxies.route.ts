import type { ErrorCode } from '@gateway/errors';
import type { ProxyEndpoint } from '@gateway/providers';
import { applyDecorators, Controller, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AllowAccess, Describe, type Operation } from '../../openapi/operation.ts';
import { PIPELINE_SERVICES, type PipelineServices } from '../../pipeline/services.ts';
import { handleResponses, proxyRequest } from '../../proxy/proxy-request.ts';
import { chatErrors } from '../chat/chat-operation.ts';
import { serveChat } from '../chat/serve-chat.ts';

const model = z.string().max(512).meta({
  description: 'A model that exactly one connected provider has, or `<provider>/<model>`.',
});

const errors: readonly ErrorCode[] = [
  'missing_field',
  'tool_not_allowed',
  'ambiguous_tools',
  'malformed_json',
  'malformed_multipart',
  'unsupported_media_type',
  'request_too_large',
  'model_not_found',
  'ambiguous_model',
  'endpoint_not_supported',
  'provider_not_connected',
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

const translated =
  'Works with every provider that has chat models. If the provider does not serve the Responses API, the request and its response are translated like those of the other chat formats. Requests with `previous_response_id`, `conversation`, `background` or items of type `item_reference` need a provider that stores responses. If the account turned on `responses.plan` in its routing preferences, requests are planned like those of the other chat formats. All other requests are proxied: ';

/**
 * Describes a proxied endpoint in the API reference. The gateway reads the `model` field of a proxied request. For
 * an API key with allow or deny lists, the gateway also reads the tools. The provider defines the fields that the
 * gateway does not read.
 */
function describeProxy(endpoint: ProxyEndpoint): Operation {
  const { id, summary, body, contentType, answer, streams } = described[endpoint];
  const optional = Object.fromEntries(Object.keys(body).map((name) => [name, z.unknown()]));
  return {
    id,
    tag: 'Proxies',
    summary,
    description:
      (endpoint === 'responses' ? translated : '') +
      'Forwards the request unchanged to the provider of `model` with that provider’s stored credential, and returns the response byte for byte. Nothing is pruned or compressed. If the key has tool lists, tools that it may not use are removed from a JSON body, and calls of such tools from a response of the Responses API. The gateway records usage figures and no contents.',
    body: {
      schema: z.looseObject({ model, ...optional }),
      ...(contentType === undefined ? {} : { contentType }),
    },
    answer: {
      status: 200,
      description: 'The provider’s response.',
      ...(answer === undefined ? { schema: z.looseObject({}) } : { contentType: answer, schema: z.string() }),
      headers: {
        'x-svc-provider': 'The provider that was called.',
        'x-svc-model': 'The model name as the provider spells it.',
        'x-svc-overhead-ms': 'Milliseconds from the arrival of the request until it was forwarded.',
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
    errors: endpoint === 'responses' ? [...new Set([...errors, ...chatErrors])] : errors,
  };
}

const Proxy = (endpoint: ProxyEndpoint) =>
  applyDecorators(Post(`/v1/${endpoint}`), AllowAccess('pipeline'), Describe(describeProxy(endpoint)));

/** Endpoints that forward requests without planning. See docs/guides/proxied-endpoints.md. */
@Controller()
export class ProxiesRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(PIPELINE_SERVICES) services: PipelineServices) {
    this.#services = services;
  }

  @Proxy('completions')
  complete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('completions', request, reply);
  }

  @Proxy('embeddings')
  embed(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('embeddings', request, reply);
  }

  @Proxy('responses')
  respond(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const endpoint = { path: '/v1/responses', format: 'responses' } as const;
    return serveChat(request, reply, endpoint, this.#services, handleResponses);
  }

  @Proxy('images/generations')
  generateImage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('images/generations', request, reply);
  }

  @Proxy('images/edits')
  editImage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('images/edits', request, reply);
  }

  @Proxy('images/variations')
  varyImage(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('images/variations', request, reply);
  }

  @Proxy('audio/transcriptions')
  transcribe(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('audio/transcriptions', request, reply);
  }

  @Proxy('audio/speech')
  speak(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('audio/speech', request, reply);
  }

  @Proxy('moderations')
  moderate(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('moderations', request, reply);
  }

  @Proxy('rerank')
  rerank(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('rerank', request, reply);
  }

  @Proxy('ocr')
  readDocument(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('ocr', request, reply);
  }

  @Proxy('videos/generations')
  generateVideo(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.#pass('videos/generations', request, reply);
  }

  #pass(endpoint: ProxyEndpoint, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const path = `/v1/${endpoint}`;
    return serveChat(
      request,
      reply,
      { path, format: 'chat-completions' },
      this.#services,
      (exchange, services) => proxyRequest(exchange, services, endpoint),
    );
  }
}
