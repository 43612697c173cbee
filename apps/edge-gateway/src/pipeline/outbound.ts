import type { ToolPlan } from './tool-plan.ts';

/** What goes out: the bytes, and the plan that they follow. */
export interface Outbound {
  readonly body: Uint8Array;
  readonly plan: ToolPlan;
}
