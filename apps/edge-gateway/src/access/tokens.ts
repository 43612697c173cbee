/**
 * Dependency injection tokens for interfaces and values declared in libraries. The injection tokens for the
 * gateway's own interfaces are declared next to those interfaces.
 */
export const MESSAGING = Symbol('MESSAGING');
export const SEALING_KEYS = Symbol('SEALING_KEYS');
export const MODEL_CATALOG = Symbol('MODEL_CATALOG');
export const EGRESS_GUARD = Symbol('EGRESS_GUARD');
export const LOGGER = Symbol('LOGGER');
