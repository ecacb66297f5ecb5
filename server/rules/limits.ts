// Limits on values that the server and the web client check in the same way: the server before it stores a value, the
// client before it sends one.

/** The maximum length of the address, in characters. */
export const MAX_CALL_SERVER_LENGTH = 200

/**
 * Matches addresses of Jitsi servers. A room name is appended to the address, and the result becomes a link in a
 * message. The address must therefore not contain characters that end the link or begin a query, a fragment or a
 * password.
 */
export const CALL_SERVER_ADDRESS = /^https:\/\/[^\s/@?#()[\]<>"'\\]+(\/[^\s@?#()[\]<>"'\\]*)?$/
