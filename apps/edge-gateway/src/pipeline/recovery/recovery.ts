import type { ByteEdit, ChatMessage, ChatTool, ClientFormat, ToolDescription } from '@gateway/interchange';

/**
 * The position of recovered tools in a request. With `in_place`, the definitions of recovered tools follow
 * the last message. With `regrown`, the definitions are in the tool list of a new request.
 */
type RecoveryMode = 'in_place' | 'regrown';

/** The gateway's own tool, through which a model reaches pruned tools. */
export type RecoveryTool = Extract<ChatTool, { kind: 'function' }>;

/** The status of a tool name, such as known or denied. A tool that the API key may not use is always `denied`. */
export type ToolStatus = 'forwarded' | 'pruned' | 'denied' | 'unknown';

/**
 * The recovery for a request with pruned tools. Recovery is set up together with the plan, and stays the same
 * throughout the conversation.
 */
export interface Recovery {
  readonly mode: RecoveryMode;
  readonly recoveryTool: RecoveryTool;
  /**
   * For each name of a pruned tool, the first index in the client's list. The pruned tools are listed in the
   * client's order.
   */
  readonly pruned: ReadonlyMap<string, number>;
  /** Returns the status of a tool that the model called. */
  statusOf(name: string): ToolStatus;
  /** Returns the name under which the client knows a tool, with the namespace from the client's tool list. */
  calledName(name: string): { readonly name: string; readonly namespace?: string };
  /**
   * Edits that replace calls to pruned tools in the transcript with recovery tool calls. The offsets of the
   * edits refer to the client's bytes, in ascending order.
   */
  readonly callEdits: readonly ByteEdit[];
  /**
   * Returns the client's definitions for the named pruned tools. Names of tools that are not pruned are
   * ignored.
   */
  describe(names: readonly string[]): readonly ToolDescription[];
  /**
   * Finds pruned tools that match the model's description of the needed tool, best match first. The search for
   * pruned tools never throws, but may return an empty list.
   */
  find(need: string): Promise<readonly string[]>;
  /**
   * Returns the recovery for a request that also forwards the named tools. Returns null if there is no tool and no
   * content to recover.
   */
  afterForwarding(names: readonly string[]): Recovery | null;
  /**
   * Messages that the gateway adds after the client's last message. These messages define the tools that the model
   * requested in its last response.
   */
  readonly openingMessages: readonly ChatMessage[];
  /** Names of the tools that `openingMessages` define. */
  readonly described: readonly string[];
  /**
   * Returns compressed content to the model. Null if nothing in the conversation was compressed.
   */
  readonly recall: RecallOriginal | null;
  /** Whether all text of a response must be joined into one text in the client's format. */
  readonly joinsTexts: boolean;
  /**
   * The format in which the client receives reasoning and response fields in every round. Undefined if the client's
   * format cannot join the responses of several rounds.
   */
  readonly joinedFormat?: ClientFormat | undefined;
  /** Whether the client requested usage data in a streamed response. */
  readonly streamsUsage: boolean;
}

/**
 * Returns the exact content that a marker replaces. Returns null if the account's conversation does not contain the
 * marker id. Rejects if the call to the compressor fails.
 */
export type RecallOriginal = (markerId: string, signal: AbortSignal) => Promise<string | null>;
