import type { ByteEdit, ChatMessage, ChatTool, ToolDescription } from '@gateway/interchange';

/** How recovered tools reach the model: after the last message, or in the tool list of a new request. */
type RecoveryMode = 'in_place' | 'regrown';

/** The gateway's own tool, by which a model reaches pruned tools. */
export type RecoveryTool = Extract<ChatTool, { kind: 'function' }>;

/** The status of a tool name. A tool that the key may not use is always `denied`. */
export type ToolStatus = 'forwarded' | 'pruned' | 'denied' | 'unknown';

/**
 * The recovery of a request whose plan prunes tools. Made with the plan; the same for the whole conversation.
 */
export interface Recovery {
  readonly mode: RecoveryMode;
  readonly recoveryTool: RecoveryTool;
  /** Pruned tools by name, with their first index in the client's list. In the client's order. */
  readonly pruned: ReadonlyMap<string, number>;
  /** Returns the status of a name that a model calls. */
  statusOf(name: string): ToolStatus;
  /**
   * Edits that turn the transcript's calls to pruned tools into calls of the recovery tool. Offsets are those
   * of the client's bytes, ascending.
   */
  readonly callEdits: readonly ByteEdit[];
  /** Returns the client's definitions of pruned tools. Ignores other names. */
  describe(names: readonly string[]): readonly ToolDescription[];
  /** Finds pruned tools for a need, best first. Never fails, but may find none. */
  find(need: string): Promise<readonly string[]>;
  /** The recovery after the named tools are forwarded. Null if nothing is left to recover. */
  afterForwarding(names: readonly string[]): Recovery | null;
  /**
   * Messages after the client's last one. They contain the tools that the model requested in its last response.
   */
  readonly openingMessages: readonly ChatMessage[];
  /** Null if nothing in the conversation was compressed. */
  readonly recall: RecallOriginal | null;
  /** Whether the client's format joins the texts of a response. */
  readonly joinsTexts: boolean;
  /** Whether the client wants usage in a streamed response. */
  readonly streamsUsage: boolean;
}

/**
 * Returns the exact content behind a marker. Null for an id that is unknown in this account's conversation.
 * Fails as a call to the compressor does.
 */
export type RecallOriginal = (markerId: string, signal: AbortSignal) => Promise<string | null>;
