/** In characters. */
export const MAX_CALL_SERVER_LENGTH = 200

/**
 * Addresses of Jitsi servers. Room names are appended, and the result becomes a link in a message: characters that would end
 * the link, or begin a query, a fragment or a password, are excluded.
 */
export const CALL_SERVER_ADDRESS = /^https:\/\/[^\s/@?#()[\]<>"'\\]+(\/[^\s@?#()[\]<>"'\\]*)?$/
