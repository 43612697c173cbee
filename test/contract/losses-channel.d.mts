import type { Channel } from 'node:diagnostics_channel';

export declare const lossesChannel: Channel;
