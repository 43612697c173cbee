import { SetMetadata } from '@nestjs/common';

/**
 * Who may call a route. `api-key`: whoever has a valid key, checked by the guard. `pipeline`: the chat pipeline
 * authenticates by itself, as its first stage. `public`: anybody.
 */
export type Access = 'api-key' | 'pipeline' | 'public';

export const accessKey = 'gateway:access';

/** Every route says who may call it: without this, nobody may. */
export const AllowAccess = (access: Access) => SetMetadata(accessKey, access);
