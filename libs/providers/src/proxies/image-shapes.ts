import type { JsonFields, ProxyShape } from '../provider/proxy-route.ts';
import { aspectOf, countOf, fieldsOf, listOf, present, refuse, sizeOf, without } from './shape-fields.ts';

/** The prompt. Rejects `response_format: url`, because none of these providers stores images for download. */
function promptOf({ prompt, response_format: format }: JsonFields): string {
  if (typeof prompt !== 'string' || prompt === '') throw refuse('prompt', 'a text');
  if (format === 'url') throw refuse('response_format', '"b64_json" for this provider');
  return prompt;
}

function renderImages(images: readonly unknown[]): JsonFields {
  const created = Math.floor(Date.now() / 1000);
  return { created, data: images.map((image) => ({ b64_json: image })) };
}

/** https://docs.aws.amazon.com/nova/latest/userguide/image-gen-req-resp-structure.html */
export const amazonImage: ProxyShape = (asked) => {
  if (asked['taskType'] !== undefined) return { body: without(asked, 'model') };
  const config = present({
    numberOfImages: countOf(asked['n']),
    ...sizeOf(asked['size']),
    quality: asked['quality'] === 'hd' || asked['quality'] === 'high' ? 'premium' : undefined,
  });
  return {
    body: {
      taskType: 'TEXT_IMAGE',
      textToImageParams: { text: promptOf(asked) },
      ...(Object.keys(config).length === 0 ? {} : { imageGenerationConfig: config }),
    },
    mapAnswer: ({ images }) => renderImages(listOf(images)),
  };
};

/** https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-stability-diffusion.html */
export const stabilityImage: ProxyShape = (asked) => {
  if ((countOf(asked['n']) ?? 1) > 1)
    throw refuse('n', '1, because this model creates one image per request');
  const size = sizeOf(asked['size']);
  return {
    body: present({
      prompt: promptOf(asked),
      aspect_ratio: asked['aspect_ratio'] ?? (size && aspectOf(size)),
      output_format: asked['output_format'] ?? 'png',
      seed: asked['seed'],
      negative_prompt: asked['negative_prompt'],
    }),
    mapAnswer: ({ images }) => renderImages(listOf(images)),
  };
};

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api */
export const vertexImage: ProxyShape = (asked) => {
  if (asked['instances'] !== undefined) return { body: without(asked, 'model') };
  const size = sizeOf(asked['size']);
  return {
    body: {
      instances: [{ prompt: promptOf(asked) }],
      parameters: present({
        sampleCount: countOf(asked['n']) ?? 1,
        aspectRatio: asked['aspect_ratio'] ?? (size && aspectOf(size)),
      }),
    },
    mapAnswer: ({ predictions }) =>
      renderImages(listOf(predictions).map((each) => fieldsOf(each)['bytesBase64Encoded'])),
  };
};
