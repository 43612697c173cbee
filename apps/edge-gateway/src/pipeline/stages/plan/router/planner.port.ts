import type { PlanToolsRequest } from '@gateway/contracts';
import type { ToolOutline } from '@gateway/interchange';
import type { ClientWireFormat, JsonTape } from '@gateway/wire-formats';
import type { HashedList } from './tool-list-hasher.ts';
import type { PlannedReply, SchemaEdits } from '../../../exchange/tool-plan.ts';

/** A tool list to plan for, with the bytes it stands in. */
export interface PlanSubject {
  readonly format: ClientWireFormat;
  readonly tape: JsonTape;
  /** The tools that the key may use. Positions in plans are positions in this list. */
  readonly tools: readonly ToolOutline[];
  /** Their hashes, in the same order. */
  readonly list: HashedList;
}

export type PlanQuestion = Omit<PlanToolsRequest, 'listHash' | 'toolHashes' | 'earlierTurns'>;

/** Whether long descriptions are held to a budget too. */
export type SchemaMode = 'lossless' | 'balanced';

/** The two services that plan. Both throw when they are late or away; the caller goes on without them. */
export interface Planner {
  selectTools(subject: PlanSubject, question: PlanQuestion, signal: AbortSignal): Promise<PlannedReply>;
  /** By position. Tools with nothing to save are left out. */
  compressSchemas(
    subject: PlanSubject,
    mode: SchemaMode,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, SchemaEdits>>;
}
