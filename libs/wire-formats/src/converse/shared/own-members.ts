import { ownMembersOf } from '../../common/own-members.ts';

/** Members that only this format defines. Their member `spelling` records how the request spelled a known value. */
export const own = ownMembersOf('converse');
