import type { JsonFields, ProxyShape } from '../provider/proxy-route.ts';
import { aspectOf, countOf, present, renamed, sizeOf, without } from './shape-fields.ts';

/**
 * Renders OpenAI's response for a queued video.
 * @param id the provider's id for the video, with which a client polls for the video
 * https://platform.openai.com/docs/api-reference/videos/create
 */
function renderQueued(answer: JsonFields, id: unknown, model: string): JsonFields {
  return {
    ...answer,
    id,
    object: 'video',
    model,
    status: 'queued',
    created_at: Math.floor(Date.now() / 1000),
  };
}

/** https://docs.x.ai/docs/guides/video-generation */
export const xaiVideo: ProxyShape = (request, model) => {
  const { seconds, size, ...rest } = request;
  if (seconds === undefined && size === undefined) return null;
  const frame = sizeOf(size);
  return {
    body: present({
      ...rest,
      model,
      duration: countOf(seconds),
      aspect_ratio: rest['aspect_ratio'] ?? (frame && aspectOf(frame)),
      resolution: rest['resolution'] ?? (frame && `${Math.min(frame.width, frame.height)}p`),
    }),
    mapAnswer: (answer) => renderQueued(answer, answer['request_id'], model),
  };
};

/** https://docs.together.ai/reference/create-videos */
export const togetherVideo: ProxyShape = (request, model) => {
  const frame = sizeOf(request['size']);
  return frame === undefined ? null : { body: { ...without(request, 'size'), model, ...frame } };
};

/** https://docs.siliconflow.com/en/api-reference/videos/videos_submit */
export const siliconflowVideo: ProxyShape = (request, model) => {
  if (request['size'] === undefined) return null;
  return {
    body: { ...renamed(without(request, 'seconds'), { size: 'image_size' }), model },
    mapAnswer: (answer) => renderQueued(answer, answer['requestId'], model),
  };
};

/** Video requests for Veo, on the Gemini API and on Vertex AI. https://ai.google.dev/gemini-api/docs/video */
export const veoVideo: ProxyShape = (request, model) => {
  if (request['instances'] !== undefined) return { body: without(request, 'model') };
  const { prompt, seconds, size, ...parameters } = without(request, 'model');
  const frame = sizeOf(size);
  return {
    body: {
      instances: [{ prompt }],
      parameters: present({
        durationSeconds: countOf(seconds),
        aspectRatio: frame && aspectOf(frame),
        resolution: frame && `${Math.min(frame.width, frame.height)}p`,
        ...parameters,
      }),
    },
    mapAnswer: (answer) => renderQueued(answer, answer['name'], model),
  };
};
