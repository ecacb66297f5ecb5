/** The maximum number of submessages per message. */
export const MAX_SUBMESSAGES = 1000

/** The maximum length of a submessage's content, in characters. */
export const MAX_SUBMESSAGE_LENGTH = 10_000
