import { channel } from 'node:diagnostics_channel';

/**
 * Carries translation losses from the tests to the reporter. The two share Node's built-in modules, but no
 * globals.
 */
export const lossesChannel = channel('contract:losses');
