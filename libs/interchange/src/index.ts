export * from './api-key.ts';
export type * from './chat-answer.ts';
export type * from './chat-part.ts';
export type * from './chat-request.ts';
export type * from './errors.ts';
export type * from './extensions.ts';
export type * from './request-outline.ts';
export type * from './response-summary.ts';
export type * from './stream-event.ts';
export type * from './tool-plan.ts';
export { foldAnswer } from './chat-answer.ts';
export {
  identifierPattern,
  listIdentifiers,
  splitTurn,
  wordPattern,
  type SplitTurn,
} from './written-text.ts';
export { qualifyTool, unqualifyTool } from './request-outline.ts';
export { createSummary, summarize } from './response-summary.ts';
