export type {
  ContextPart,
  AnswerDefaults,
  AnswerHeaders,
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
  EditedRequest,
  RequestEdit,
} from './common/format.ts';
export { cloudFields, type CloudField, readCloudFields } from './common/gateway-fields.ts';
export { encodeEventStream } from './event-stream/encode-event-stream.ts';
export { EventStreamDecoder, type EventStreamDecoderOptions } from './event-stream/event-stream-decoder.ts';
export { EventStreamError } from './event-stream/event-stream-error.ts';
export {
  messageBytesMax as eventStreamBytesMax,
  textHeader,
  type EventStreamHeader,
  type EventStreamMessage,
} from './event-stream/event-stream-message.ts';
export { formatNamed, providerFormatNamed } from './formats.ts';
export { cohere } from './cohere/cohere.ts';
export { gemini } from './gemini/gemini.ts';
export {
  applyEdits,
  editedLength,
  removeItems,
  removeMember,
  removeMembers,
  replaceValue,
} from './json/json-edits.ts';
export { parseExactJson } from './json/parse-json.ts';
export { JsonDepthError, JsonSyntaxError } from './json/json-errors.ts';
export type { JsonEntry, JsonKind, JsonNode, JsonTape } from './json/json-tape.ts';
export { scanJson } from './json/scan-json.ts';
export { asksForStreamedUsage } from './chat-completions/client/asks-for-streamed-usage.ts';
export { renderTokenCount } from './messages/client/render-token-count.ts';
export { listFoundTools } from './messages/client/list-found-tools.ts';
export { searchTool } from './messages/defer-tools.ts';
export { parseTokenCount } from './messages/provider/token-count.ts';
export { chooseMessagesVersion, messagesVersions, type MessagesVersion } from './messages/versions.ts';
export { nameTools, restoreToolNames, type ToldToolNames } from './common/tool-names.ts';
export { encodeSse, SseDecoder, SseFrameTooLongError, type SseDecoderOptions } from './sse/sse-frames.ts';
export type { SseFrame } from './sse/sse-frames.ts';
