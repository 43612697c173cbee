import type { CompressSchemasReply, PlanToolsReply } from '@gateway/contracts';
import type { ByteEdit, PlanReason } from '@gateway/interchange';

type SchemaResult = CompressSchemasReply['results'][number];
export type PlannedReply = Extract<PlanToolsReply, { status: 'planned' }>;

/** Edits of one tool definition, relative to its first byte. */
export interface SchemaEdits {
  readonly edits: readonly ByteEdit[];
  readonly steps: SchemaResult['steps'];
}

/** What is to become of the client's tools. Indexes are those of the client's list. */
export interface ToolPlan {
  /** Tools that the key may use: the boundary that holds whatever the plan says. */
  readonly eligible: readonly number[];
  /** Tools to forward: `eligible` itself in the identity plan. */
  readonly forwarded: readonly number[];
  readonly schemaEdits: ReadonlyMap<number, SchemaEdits>;
  readonly reason: PlanReason | null;
  /** The router's answer, if it gave one in time. */
  readonly reply: PlannedReply | null;
}

/** Forwards everything that the key may use, as it is. */
export function identityPlan(eligible: readonly number[], reason: PlanReason | null): ToolPlan {
  return { eligible, forwarded: eligible, schemaEdits: new Map(), reason, reply: null };
}
