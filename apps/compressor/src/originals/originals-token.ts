export const originalStoreToken = Symbol('OriginalStore');
