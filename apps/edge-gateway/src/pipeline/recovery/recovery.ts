import type { ByteEdit, ChatMessage, ChatTool, ToolDescription } from '@gateway/interchange';

/** How what the model asks for comes to it: at the end of the context, or as tools of a request that is made again. */
type RecoveryMode = 'in_place' | 'regrown';

/** The gateway's own tool, by which a model reaches those that a plan left out. */
export type RecoveryTool = Extract<ChatTool, { kind: 'function' }>;

/** What a name means to the net. A tool that the key may not use is `denied`, whatever else it is. */
export type ToolStatus = 'forwarded' | 'pruned' | 'denied' | 'unknown';

/** What stands behind a request whose plan leaves tools out. Made with the plan; the same for the whole session. */
export interface Recovery {
  readonly mode: RecoveryMode;
  readonly recoveryTool: RecoveryTool;
  /** Tools that it stands for, by name: their first index in the client's list. In the client's order. */
  readonly pruned: ReadonlyMap<string, number>;
  /** What is known of a name that a model calls. */
  statusOf(name: string): ToolStatus;
  /** The transcript's calls of tools that are left out, as calls of the stand-in. In the client's bytes, ascending. */
  readonly callEdits: readonly ByteEdit[];
  /** What the client says of tools that are left out. Names that are not are passed over. */
  describe(names: readonly string[]): readonly ToolDescription[];
  /** Names of tools that are left out, the ones first that fit a need best. Never fails: it may find nothing. */
  find(need: string): Promise<readonly string[]>;
  /** The net once tools of these names are forwarded after all; null when nothing is left behind it. */
  afterForwarding(names: readonly string[]): Recovery | null;
  /** Turns behind the client's last message, in which the model is told what it asked for with its last answer. */
  readonly openingMessages: readonly ChatMessage[];
  /** Null where nothing of the conversation was left out. */
  readonly recall: RecallOriginal | null;
  /** Whether the client's format runs an answer's texts together. */
  readonly joinsTexts: boolean;
  /** Whether the client wants a streamed answer to tell its usage. */
  readonly streamsUsage: boolean;
}

/**
 * What a marker in the conversation stands for, exactly; null for an id that stands for nothing in this account's session.
 * Fails as a question to the compressor does.
 */
export type RecallOriginal = (markerId: string, signal: AbortSignal) => Promise<string | null>;
