import { channel } from 'node:diagnostics_channel';

/** The losses of translations. The reporter shares Node's own modules with the tests, but no globals. */
export const lossesChannel = channel('contract:losses');
