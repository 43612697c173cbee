import { ownMembersOf } from '../common/own-members.ts';

/** What this format alone knows. `spelling` tells how it said what the interchange carries. */
export const own = ownMembersOf('messages');
