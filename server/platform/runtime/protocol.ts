/** The version of the protocol that clients are told: they decide by it what they may ask for. */
export const PROTOCOL_VERSION = '10.2'

/** The number of that version, counted up with each change of the protocol. */
export const FEATURE_LEVEL = 372
