/** How many submessages a message has at most. */
export const MAX_SUBMESSAGES = 1000

/** The most characters of a submessage's content. */
export const MAX_SUBMESSAGE_LENGTH = 10_000
