/**
 * Addresses of pages about something that others named. Names stand in the query: in a path, slashes and dots would mean
 * something else.
 */
export const sessionAddress = (sessionId: string): string =>
  `/sessions/one?${new URLSearchParams({ id: sessionId }).toString()}`;
export const toolAddress = (name: string): string =>
  `/tool-health/one?${new URLSearchParams({ name }).toString()}`;
