/** Injection tokens for interfaces and values that libraries declare. Tokens of our own interfaces are next to them. */
export const MESSAGING = Symbol('MESSAGING');
export const SEALING_KEYS = Symbol('SEALING_KEYS');
export const MODEL_CATALOG = Symbol('MODEL_CATALOG');
export const EGRESS_GUARD = Symbol('EGRESS_GUARD');
export const LOGGER = Symbol('LOGGER');
