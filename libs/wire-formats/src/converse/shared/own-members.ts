import { ownMembersOf } from '../../common/own-members.ts';

/** What this format alone knows. Its member `spelling` tells how something was written that the interchange carries. */
export const own = ownMembersOf('converse');
