import { ownMembersOf } from '../../common/own-members.ts';

/** Fields that only this format defines. Their field `spelling` records how the request spelled a known value. */
export const own = ownMembersOf('converse');
