import { channel } from 'node:diagnostics_channel';

/** What translations could not carry. Node's own modules are shared with the reporter, where globals are not. */
export const lossesChannel = channel('contract:losses');
