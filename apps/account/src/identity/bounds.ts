/** A session ends this long after its log-in, however often it was refreshed. */
export const sessionMs = 30 * 24 * 60 * 60 * 1000;
/** Sessions of one person; the oldest goes when one more begins. */
export const sessionsPerUserMax = 50;
/** Replaced refresh tokens that a session keeps, so that their reuse is noticed. */
export const usedRefreshTokensMax = 50;
export const emailCharsMax = 254;
/** Long ones cost no more to hash; the bound keeps them within a message. */
export const passwordCharsMax = 256;
/** Length is what counts against guessing (NIST SP 800-63B §3.1.1: no rules on the characters, at least eight of them). */
export const passwordCharsMin = 12;
