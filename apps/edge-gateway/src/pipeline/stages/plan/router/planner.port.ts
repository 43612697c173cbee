import type { PlanToolsRequest } from '@gateway/contracts';
import type { ToolOutline } from '@gateway/interchange';
import type { ClientWireFormat, JsonTape } from '@gateway/wire-formats';
import type { HashedList } from './tool-list-hasher.ts';
import type { PlannedReply, SchemaEdits } from '../../../exchange/tool-plan.ts';

/** A parsed request for which a plan is needed. */
export interface PlanSubject {
  readonly format: ClientWireFormat;
  readonly tape: JsonTape;
  /** The tools that the API key may use. Plans refer to tools by their index in the list of usable tools. */
  readonly tools: readonly ToolOutline[];
  /** Hashes of the entries in `tools`, in the order of `tools`. */
  readonly list: HashedList;
}

export type PlanQuestion = Omit<PlanToolsRequest, 'listHash' | 'toolHashes' | 'earlierTurns'>;

/**
 * The mode in which tool schemas are shortened. The mode `balanced` also limits the length of tool
 * descriptions.
 */
export type SchemaMode = 'lossless' | 'balanced';

/**
 * The clients for the tool router and the compressor. The planner's methods throw an error if the called
 * service is late or unavailable. After an error, the caller continues without a plan or without compression.
 */
export interface Planner {
  selectTools(subject: PlanSubject, question: PlanQuestion, signal: AbortSignal): Promise<PlannedReply>;
  /** Returns, for each tool position, edits that shorten the definition. Tools without savings are omitted. */
  compressSchemas(
    subject: PlanSubject,
    caller: { readonly accountId: string },
    mode: SchemaMode,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, SchemaEdits>>;
}
