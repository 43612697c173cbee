/** All that a session token may be signed with: public keys alone verify, so none of them can sign. */
export const sessionAlgorithms = ['ES256', 'RS256'] as const;
export type SessionAlgorithm = (typeof sessionAlgorithms)[number];
