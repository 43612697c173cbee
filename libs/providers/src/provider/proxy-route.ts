import type { AuthScheme, IncomingHeaders } from './http.ts';

/** Paths under `/v1/` for which the gateway forwards requests without planning tools. */
export const proxyEndpoints = [
  'completions',
  'embeddings',
  'responses',
  'images/generations',
  'images/edits',
  'images/variations',
  'audio/transcriptions',
  'audio/speech',
  'moderations',
  'rerank',
  'ocr',
  'videos/generations',
] as const;
export type ProxyEndpoint = (typeof proxyEndpoints)[number];

/**
 * The route for a provider's endpoint. A route describes how the provider's requests differ from the
 * endpoint's usual requests.
 */
export interface ProxyRoute {
  /** Path under the provider's base URL. The percent-encoded model id replaces `{model}`. */
  readonly path: string;
  /**
   * The headers that contain the credential. By default, the headers of the provider's chat endpoint are used.
   */
  readonly auth?: AuthScheme;
  /** Whether requests are signed. The signature covers the body, so the whole body must be buffered first. */
  readonly isSigned?: true;
  /** Maps the body to the body shape of the provider. By default, bodies are forwarded unchanged. */
  readonly shape?: ProxyShape;
  /**
   * The requests with which clients retrieve videos created through this route. Absent if the provider
   * does not let clients retrieve videos.
   */
  readonly videos?: VideoRoutes;
}

/** A request for a video's state, which is either a GET request or a POST request with a body. */
export interface VideoRequest {
  /** Path under the provider's base URL. */
  readonly path: string;
  readonly body?: JsonFields;
}

/** The requests that read generated videos from a provider. Slashes in ids are not percent-encoded. */
export interface VideoRoutes {
  /** Matches the ids of this provider's videos. Absent if the provider's ids have no recognizable pattern. */
  readonly ids?: RegExp;
  /** The request for a video's state. Returns undefined if the id does not belong to this provider. */
  readonly stateOf: (id: string) => VideoRequest | undefined;
  /** Maps the video's state to OpenAI's video object. By default, the state is returned unchanged. */
  readonly mapState?: (state: JsonFields, id: string) => JsonFields;
  /**
   * The path from which a video is downloaded. Absent if the video's state contains the
   * download URL.
   */
  readonly contentPathOf?: (id: string) => string;
  /** Reads the download URL of a finished video from the video's state. */
  readonly urlOf?: (state: JsonFields) => string | undefined;
}

/** A provider's proxy routes. A provider supports only the endpoints that have a route. */
export type ProxyRoutes = Readonly<Partial<Record<ProxyEndpoint, ProxyRoute>>>;

/** The fields in a JSON object. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** A request in the provider's own body shape. */
export interface MappedRequest {
  readonly body: JsonFields;
  /**
   * Maps the provider's response to the endpoint's usual body shape. Absent if the provider's response
   * needs no mapping.
   */
  readonly mapAnswer?: (answer: JsonFields, headers: IncomingHeaders) => JsonFields;
}

/**
 * Maps a request from the endpoint's usual body shape (OpenAI's, or Cohere's for rerank) to a provider's body
 * shape. Returns null if the request can be forwarded unchanged.
 * @param model the model id as the provider spells it
 * @throws GatewayError `invalid_field` for a field that the provider cannot express
 */
export type ProxyShape = (request: JsonFields, model: string) => MappedRequest | null;
