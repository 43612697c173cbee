import type { EditedRequest, JsonTape } from '@gateway/wire-formats';
import type { RequestOutline } from '@gateway/interchange';
import type { ToolPlan } from '../../exchange/tool-plan.ts';

/** What is about to be sent, beside what it was made of. */
export interface OutboundDraft {
  readonly bytes: Buffer;
  readonly tape: JsonTape;
  readonly outline: RequestOutline;
  readonly plan: ToolPlan;
  readonly edited: EditedRequest;
}

/** A rule that every outbound request keeps. Returns how it is broken, or null. */
export type Invariant = (draft: OutboundDraft) => string | null;
