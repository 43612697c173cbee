export * from './api-key.ts';
export type * from './byte-edit.ts';
export type * from './finish-reason.ts';
export type * from './request-outline.ts';
export type * from './stream-event.ts';
export type * from './token-usage.ts';
export type * from './tool-plan.ts';
export type * from './tool-source.ts';
