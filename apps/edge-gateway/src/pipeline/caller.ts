import type { KeyGrant } from '@gateway/contracts';

/** Whose request it is, and what its key may do. */
export type Caller = KeyGrant;
