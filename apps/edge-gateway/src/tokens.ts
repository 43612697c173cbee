/** Names under which Nest keeps what the module builds. */
export const tokens = {
  pipeline: Symbol('pipeline services'),
  grants: Symbol('grant cache'),
  sessions: Symbol('session gate'),
  identity: Symbol('identity client'),
  authSettings: Symbol('auth settings'),
  dashboard: Symbol('dashboard'),
  rateLimiter: Symbol('rate limiter'),
  connections: Symbol('connections'),
  messaging: Symbol('messaging'),
  sealingKeys: Symbol('sealing keys'),
  catalog: Symbol('model catalogue'),
  egressGuard: Symbol('egress guard'),
  settings: Symbol('settings'),
  log: Symbol('log'),
  reference: Symbol('reference'),
} as const;
