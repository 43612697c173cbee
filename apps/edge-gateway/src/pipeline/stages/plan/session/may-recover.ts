import type { RequestOutline } from '@gateway/interchange';
import type { Caller } from '../../../../request/request.ts';

/**
 * Whether tools that are left out can be kept reachable: the account wants it, and the model is free to call what it
 * likes. Where the client forces a tool, or forbids all, the stand-in could not be called.
 */
export function mayRecover({ toolChoice }: RequestOutline, { pruning }: Caller): boolean {
  return pruning.recovery && (toolChoice.mode === 'unset' || toolChoice.mode === 'auto');
}
