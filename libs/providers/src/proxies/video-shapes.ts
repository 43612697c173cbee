import type { JsonFields, ProxyShape, VideoRoutes } from '../provider/proxy-route.ts';
import { aspectOf, countOf, fieldsOf, listOf, present, renamed, sizeOf, without } from './shape-fields.ts';

/**
 * Renders OpenAI's response for a queued video.
 * @param id the provider's id for the video, with which a client polls for the video
 * See https://platform.openai.com/docs/api-reference/videos/create
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

/** See https://docs.x.ai/docs/guides/video-generation */
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

/** See https://docs.together.ai/reference/create-videos */
export const togetherVideo: ProxyShape = (request, model) => {
  const frame = sizeOf(request['size']);
  return frame === undefined ? null : { body: { ...without(request, 'size'), model, ...frame } };
};

/** See https://docs.siliconflow.com/en/api-reference/videos/videos_submit */
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

/**
 * Matches a video id that is a single path segment. An id with several path segments could address another
 * endpoint of the provider.
 */
const stepPattern = /^(?!\.{1,2}$)[^/?#]+$/;

/**
 * Returns the path of a video's state, which consists of the given path and the video id. Returns undefined
 * for an id that is not a single path segment.
 */
function stateBelow(path: string, id: string): { readonly path: string } | undefined {
  return stepPattern.test(id) ? { path: `${path}/${encodeURIComponent(id)}` } : undefined;
}

type VideoStatus = 'queued' | 'in_progress' | 'completed' | 'failed';

/**
 * Renders OpenAI's video object. The object keeps all of the provider's fields except the status
 * field.
 */
function renderState(state: JsonFields, id: string, status: VideoStatus): JsonFields {
  return { ...state, id, object: 'video', status };
}

function firstOf(value: unknown): JsonFields {
  return fieldsOf(listOf(value)[0]);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** See https://platform.openai.com/docs/api-reference/videos/retrieve */
export const openAiVideos: VideoRoutes = {
  ids: /^video_/,
  stateOf: (id) => stateBelow('/videos', id),
  contentPathOf: (id) => `/videos/${encodeURIComponent(id)}/content`,
};

const xaiStatuses: Readonly<Record<string, VideoStatus>> = { pending: 'in_progress', done: 'completed' };

/** See https://docs.x.ai/docs/guides/video-generation */
export const xaiVideos: VideoRoutes = {
  stateOf: (id) => stateBelow('/videos', id),
  mapState: (state, id) => renderState(state, id, xaiStatuses[String(state['status'])] ?? 'failed'),
  urlOf: ({ video }) => textOf(fieldsOf(video)['url']),
};

/** The response has OpenAI's shape (https://docs.together.ai/reference/get-videos-id). */
export const togetherVideos: VideoRoutes = {
  stateOf: (id) => stateBelow('/../v2/videos', id),
  urlOf: ({ outputs }) => textOf(fieldsOf(outputs)['video_url']),
};

const siliconflowStatuses: Readonly<Record<string, VideoStatus>> = {
  InQueue: 'queued',
  InProgress: 'in_progress',
  Succeed: 'completed',
};

/** See https://docs.siliconflow.com/en/api-reference/videos/get_videos_status */
export const siliconflowVideos: VideoRoutes = {
  stateOf: (id) => (stepPattern.test(id) ? { path: '/video/status', body: { requestId: id } } : undefined),
  mapState: (state, id) => renderState(state, id, siliconflowStatuses[String(state['status'])] ?? 'failed'),
  urlOf: ({ results }) => textOf(firstOf(fieldsOf(results)['videos'])['url']),
};

/** Maps the state of a long-running operation (google.longrunning.Operation). */
function mapOperation(state: JsonFields, id: string): JsonFields {
  const ended = state['error'] === undefined ? 'completed' : 'failed';
  return renderState(state, id, state['done'] === true ? ended : 'in_progress');
}

/** The name of a Gemini API operation. The name must not contain the path segments `.` or `..`. */
const geminiOperation = /^models\/(?!\.{1,2}(?:\/|$))[^/?#]+\/operations\/(?!\.{1,2}(?:\/|$))[^/?#]+$/;

/** See https://ai.google.dev/gemini-api/docs/video */
export const geminiVideos: VideoRoutes = {
  ids: geminiOperation,
  stateOf: (id) =>
    geminiOperation.test(id) ? { path: `/${id.split('/').map(encodeURIComponent).join('/')}` } : undefined,
  mapState: mapOperation,
  urlOf: ({ response }) => {
    const { generatedSamples } = fieldsOf(fieldsOf(response)['generateVideoResponse']);
    return textOf(fieldsOf(firstOf(generatedSamples)['video'])['uri']);
  },
};

const vertexOperation =
  /^projects\/(?!\.{1,2}(?:\/|$))[^/?#]+\/locations\/(?!\.{1,2}(?:\/|$))[^/?#]+\/publishers\/google\/models\/((?!\.{1,2}(?:\/|$))[^/?#]+)\/operations\/(?!\.{1,2}(?:\/|$))[^/?#]+$/;

/**
 * The state of a finished video contains the video's bytes or their location in Cloud Storage. The video
 * needs no separate download request. See
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation
 */
export const vertexVideos: VideoRoutes = {
  ids: vertexOperation,
  stateOf: (id) => {
    const model = vertexOperation.exec(id)?.[1];
    if (model === undefined) return undefined;
    const path = `/publishers/google/models/${encodeURIComponent(model)}:fetchPredictOperation`;
    return { path, body: { operationName: id } };
  },
  mapState: mapOperation,
};
