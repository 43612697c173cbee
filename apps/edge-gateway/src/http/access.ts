import { SetMetadata } from '@nestjs/common';

/**
 * Who may call a route. `api-key`: whoever has a valid key. `session`: a person with a session token. `api-key-or-session`:
 * either. `pipeline`: the chat pipeline authenticates by itself, as its first stage, and takes API keys alone. `public`:
 * anybody. The wrong kind is a 403 that says so; what kind it is shows by its form, so that it is told without a look-up.
 */
export type Access = 'api-key' | 'session' | 'api-key-or-session' | 'pipeline' | 'public';

export const accessKey = 'gateway:access';

/** Every route says who may call it: without this, nobody may. */
export const AllowAccess = (access: Access) => SetMetadata(accessKey, access);
