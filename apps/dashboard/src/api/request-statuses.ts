/** How a request may have ended. */
export const requestStatuses = ['ok', 'error', 'cancelled', 'truncated', 'interrupted'] as const;
export type RequestStatus = (typeof requestStatuses)[number];
