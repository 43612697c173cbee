export const countStoreToken = Symbol('CountStore');
