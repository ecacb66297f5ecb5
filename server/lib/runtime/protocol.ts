/** The version of the protocol. Clients use it to decide which features they can use. */
export const PROTOCOL_VERSION = '10.2'

/** The feature level of the protocol. It increases with each change of the protocol. */
export const FEATURE_LEVEL = 372
