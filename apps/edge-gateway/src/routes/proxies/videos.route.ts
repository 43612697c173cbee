import type { ErrorCode } from '@gateway/errors';
import { Controller, Get, Inject, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AllowAccess, Describe, type Operation } from '../../openapi/operation.ts';
import { PIPELINE_SERVICES, type PipelineServices } from '../../pipeline/services.ts';
import { retrieveVideo, type WantedVideo } from '../../proxy/retrieve-video.ts';
import { serveChat } from '../chat/serve-chat.ts';

const videoParams = z.object({
  id: z
    .string()
    .max(512)
    .meta({
      description:
        'The id from the response of `POST /v1/videos/generations`, percent-encoded. If several connected providers generate videos, put the provider in front: `xai/<id>`.',
      examples: ['video_68d7512d07848190b3e45da0ecbebcde004da08e1e0678d5'],
    }),
});

const videoErrors: readonly ErrorCode[] = [
  'invalid_field',
  'ambiguous_model',
  'endpoint_not_supported',
  'provider_not_connected',
  'upstream_unreachable',
  'upstream_timeout',
  'upstream_invalid',
];

const videoHeaders = { 'x-svc-provider': 'The provider that was called.' };

const getVideo: Operation = {
  id: 'getVideo',
  tag: 'Proxies',
  summary: 'State of a generated video',
  description:
    'Returns the video object from the provider that generates the video, with that provider’s stored credential. The object has OpenAI’s shape; the states of other providers are mapped to `queued`, `in_progress`, `completed` and `failed`, and keep the provider’s other fields. The gateway stores nothing about videos.',
  params: videoParams,
  answer: {
    status: 200,
    description: 'The video object.',
    schema: z.looseObject({
      id: z.string().meta({ description: 'The provider’s id of the video.', examples: ['video_1'] }),
      status: z.string().meta({ description: 'The state of the video.', examples: ['in_progress'] }),
    }),
    headers: videoHeaders,
  },
  errors: videoErrors,
};

const getVideoContent: Operation = {
  id: 'getVideoContent',
  tag: 'Proxies',
  summary: 'Content of a generated video',
  description:
    'Returns the bytes of a finished video, from the provider’s content endpoint or from the URL in the video object. The stored credential is sent only to the provider’s own address.',
  params: videoParams,
  query: z.object({
    variant: z
      .string()
      .max(64)
      .optional()
      .meta({
        description: 'OpenAI only: `video`, `thumbnail` or `spritesheet`.',
        examples: ['thumbnail'],
      }),
  }),
  answer: {
    status: 200,
    description: 'The bytes of the video.',
    contentType: 'video/mp4',
    schema: z.string(),
    headers: videoHeaders,
  },
  errors: [...videoErrors, 'not_found', 'provider_error'],
};

/** Serves generated videos. See docs/guides/proxied-endpoints.md. */
@Controller()
@AllowAccess('pipeline')
export class VideosRoute {
  readonly #services: PipelineServices;

  constructor(@Inject(PIPELINE_SERVICES) services: PipelineServices) {
    this.#services = services;
  }

  @Get('/v1/videos/:id')
  @Describe(getVideo)
  getVideo(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.#retrieve('/v1/videos/{id}', { id, part: 'state', query: '' }, request, reply);
  }

  @Get('/v1/videos/:id/content')
  @Describe(getVideoContent)
  getVideoContent(
    @Param('id') id: string,
    @Query('variant') variant: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const query = typeof variant === 'string' ? new URLSearchParams({ variant }).toString() : '';
    return this.#retrieve('/v1/videos/{id}/content', { id, part: 'content', query }, request, reply);
  }

  #retrieve(path: string, wanted: WantedVideo, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    return serveChat(
      request,
      reply,
      { path, format: 'chat-completions' },
      this.#services,
      (exchange, services) => retrieveVideo(exchange, services, wanted),
    );
  }
}
