export type { ContextPart } from './context-part.ts';
export { cloudFields, type CloudField } from './extension-fields.ts';
export { readCloudFields } from './chat-completions/client/read-cloud-fields.ts';
export type {
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
} from './format.ts';
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
export { applyEdits, editedLength } from './json/edits/apply-edits.ts';
export { removeItems, removeMember, removeMembers, replaceValue } from './json/edits/remove-entries.ts';
export { parseExactJson } from './json/parse-exact-json.ts';
export { JsonDepthError } from './json/json-depth-error.ts';
export type { JsonEntry, JsonKind, JsonNode } from './json/json-node.ts';
export { JsonSyntaxError } from './json/json-syntax-error.ts';
export type { JsonTape } from './json/json-tape.ts';
export { scanJson } from './json/scan-json.ts';
export { asksForStreamedUsage } from './chat-completions/client/asks-for-streamed-usage.ts';
export { renderTokenCount } from './messages/client/render-token-count.ts';
export { listFoundTools } from './messages/client/list-found-tools.ts';
export { searchTool } from './messages/defer-tools.ts';
export { parseTokenCount } from './messages/provider/token-count.ts';
export { chooseMessagesVersion, messagesVersions, type MessagesVersion } from './messages/versions.ts';
export type { CallPlace, EditedRequest, RequestEdit } from './request-edit.ts';
export { nameTools, restoreToolNames, type ToldToolNames } from './tool-names.ts';
export { encodeSse } from './sse/encode-sse.ts';
export { SseDecoder, SseFrameTooLongError, type SseDecoderOptions } from './sse/sse-decoder.ts';
export type { SseFrame } from './sse/sse-frame.ts';
