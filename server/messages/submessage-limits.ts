/** Per message. */
export const MAX_SUBMESSAGES = 1000

/** In characters of a submessage's content. */
export const MAX_SUBMESSAGE_LENGTH = 10_000
