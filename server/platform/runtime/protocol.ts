/** The version of the protocol, by which clients decide which features they can use. */
export const PROTOCOL_VERSION = '10.2'

/** The feature level, which increases with each change of the protocol. */
export const FEATURE_LEVEL = 372
