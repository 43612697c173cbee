export type {
  ContextPart,
  AnswerDefaults,
  AnswerHeaders,
  CacheMarkerRules,
  ClientHalf,
  ProviderHalf,
  WireFormat,
  RenderedError,
  RenderedRequest,
  RequestRenderOptions,
  RequestRoute,
  StreamParser,
  StreamRenderer,
  StreamRenderOptions,
  ClientWireFormat,
  CallPlace,
} from './common/format.ts';
export type { EditedRequest, RequestEdit } from './common/request-edit.ts';
export { cloudFields, isCloudField, type CloudField, readCloudFields } from './common/gateway-fields.ts';
export { encodeEventStream } from './event-stream/encode-event-stream.ts';
export { EventStreamDecoder, type EventStreamDecoderOptions } from './event-stream/event-stream-decoder.ts';
export {
  EventStreamError,
  messageBytesMax as eventStreamBytesMax,
  textHeader,
  type EventStreamHeader,
  type EventStreamMessage,
} from './event-stream/event-stream-message.ts';
export { formatNamed, providerFormatNamed } from './formats.ts';
export { cohere } from './cohere/cohere.ts';
export { gemini } from './gemini/gemini.ts';
export { removeSealedReasoning } from './responses/edit-request.ts';
export { responsesEventBytesMax } from './responses/responses.ts';
export { sealPrefix } from './responses/shared/reasoning.ts';
export { findContinued, findStateful } from './responses/client/outline-request.ts';
export {
  applyEdits,
  EditedBytes,
  editedLength,
  removeItems,
  removeMembers,
  replaceValue,
} from './json/json-edits.ts';
export { parseExactJson, parseProviderJson } from './json/parse-json.ts';
export { JsonDepthError, JsonFieldsError, JsonSyntaxError, JsonValuesError } from './json/json-tape.ts';
export type { JsonEntry, JsonKind, JsonNode, JsonTape, ScanPoint } from './json/json-tape.ts';
export { scanJson } from './json/scan-json.ts';
export { renderTokenCount } from './messages/client/render-response.ts';
export { dropBoundReasoning } from './messages/bound-reasoning.ts';
export { searchTool, toolChangesBeta } from './messages/edit-request.ts';
export { parseTokenCount } from './messages/provider/parse-response.ts';
export { findCustomTools, restoreCustomCalls, wrapCustomTools } from './common/custom-tools.ts';
export { mapEvents, nameTools, restoreToolNames, type UpstreamToolNames } from './common/tool-names.ts';
export { encodeSse, SseDecoder, SseFrameTooLongError, type SseDecoderOptions } from './sse/sse-frames.ts';
export type { SseFrame } from './sse/sse-frames.ts';
