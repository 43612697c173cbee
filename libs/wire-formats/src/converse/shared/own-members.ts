import { ownMembersOf } from '../../common/own-members.ts';

/**
 * Extension fields that only the Converse format defines. The `spelling` field records how the client wrote
 * values that the interchange normalizes.
 */
export const own = ownMembersOf('converse');
