import { channel } from 'node:diagnostics_channel';

/**
 * Passes translation losses from the tests to the Jest reporter. The tests and the reporter share Node's
 * built-in modules, but no globals.
 */
export const lossesChannel = channel('contract:losses');
