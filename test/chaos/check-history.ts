import type { History, Violation } from './history.ts';
import {
  errorCodesAreDocumented,
  everythingRecovers,
  failuresAreFast,
  logsHaveNoSecrets,
  noInternalError,
  nothingTakesTooLong,
} from './promises/answers.ts';
import {
  deletionsLeaveNoRows,
  keysAreLinearizable,
  noAcknowledgedWriteIsLost,
  noDeniedToolUpstream,
  noSuccessAfterRevocation,
  policiesAreLinearizable,
  providersAreLinearizable,
  toolListsAreLinearizable,
} from './promises/changes.ts';
import { budgetsHold, rateWindowsHold } from './promises/limits.ts';
import {
  everyAcceptedRequestHasOneRow,
  ledgerEqualsLog,
  rowsHaveStatusAndTokens,
} from './promises/records.ts';

/** For each promise in docs/operations, the function that finds violations in a history. */
export const promises = {
  everyAcceptedRequestHasOneRow,
  rowsHaveStatusAndTokens,
  ledgerEqualsLog,
  noSuccessAfterRevocation,
  noDeniedToolUpstream,
  noAcknowledgedWriteIsLost,
  keysAreLinearizable,
  toolListsAreLinearizable,
  providersAreLinearizable,
  policiesAreLinearizable,
  deletionsLeaveNoRows,
  noInternalError,
  errorCodesAreDocumented,
  nothingTakesTooLong,
  failuresAreFast,
  everythingRecovers,
  rateWindowsHold,
  budgetsHold,
  logsHaveNoSecrets,
} as const;
export type PromiseName = keyof typeof promises;

/** Returns the violations of all promises. */
export function checkHistory(history: History): Violation[] {
  return Object.entries(promises).flatMap(([promise, check]) =>
    check(history).map((detail) => ({ promise, detail })),
  );
}
