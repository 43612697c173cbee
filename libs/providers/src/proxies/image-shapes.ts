import { invalidField } from '@gateway/errors';
import type { JsonFields, ProxyShape } from '../provider/proxy-route.ts';
import { aspectOf, countOf, fieldsOf, listOf, present, sizeOf, without } from './shape-fields.ts';

/**
 * Returns the prompt of an image request. Rejects requests with `url` as `response_format`, because none of
 * the providers in this file hosts images for download.
 */
function promptOf({ prompt, response_format: format }: JsonFields): string {
  if (typeof prompt !== 'string' || prompt === '') throw invalidField('prompt', 'a text');
  if (format === 'url') throw invalidField('response_format', '"b64_json" for this provider');
  return prompt;
}

function renderImages(images: readonly unknown[]): JsonFields {
  const created = Math.floor(Date.now() / 1000);
  return { created, data: images.map((image) => ({ b64_json: image })) };
}

/** See https://docs.aws.amazon.com/nova/latest/userguide/image-gen-req-resp-structure.html */
export const amazonImage: ProxyShape = (request) => {
  if (request['taskType'] !== undefined) return { body: without(request, 'model') };
  const config = present({
    numberOfImages: countOf(request['n']),
    ...sizeOf(request['size']),
    quality: request['quality'] === 'hd' || request['quality'] === 'high' ? 'premium' : undefined,
  });
  return {
    body: {
      taskType: 'TEXT_IMAGE',
      textToImageParams: { text: promptOf(request) },
      ...(Object.keys(config).length === 0 ? {} : { imageGenerationConfig: config }),
    },
    mapAnswer: ({ images }) => renderImages(listOf(images)),
  };
};

/** See https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-stability-diffusion.html */
export const stabilityImage: ProxyShape = (request) => {
  if ((countOf(request['n']) ?? 1) > 1)
    throw invalidField('n', '1, because this model creates one image per request');
  const size = sizeOf(request['size']);
  return {
    body: present({
      prompt: promptOf(request),
      aspect_ratio: request['aspect_ratio'] ?? (size && aspectOf(size)),
      output_format: request['output_format'] ?? 'png',
      seed: request['seed'],
      negative_prompt: request['negative_prompt'],
    }),
    mapAnswer: ({ images }) => renderImages(listOf(images)),
  };
};

/** See https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api */
export const vertexImage: ProxyShape = (request) => {
  if (request['instances'] !== undefined) return { body: without(request, 'model') };
  const size = sizeOf(request['size']);
  return {
    body: {
      instances: [{ prompt: promptOf(request) }],
      parameters: present({
        sampleCount: countOf(request['n']) ?? 1,
        aspectRatio: request['aspect_ratio'] ?? (size && aspectOf(size)),
      }),
    },
    mapAnswer: ({ predictions }) =>
      renderImages(listOf(predictions).map((each) => fieldsOf(each)['bytesBase64Encoded'])),
  };
};
