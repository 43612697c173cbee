/**
 * What a marker in the conversation stands for, exactly; null for an id that stands for nothing in this account's session.
 * Fails as a question to the compressor does.
 */
export type RecallOriginal = (markerId: string, signal: AbortSignal) => Promise<string | null>;
