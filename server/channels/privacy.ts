import { refusal } from '#lib/errors/refusal.ts'
import type { Channel } from './channel.ts'

export const invalidPrivacy = refusal('BAD_REQUEST', 400, 'Invalid parameters')
export const defaultCannotBePrivate = refusal('BAD_REQUEST', 400, 'A default channel cannot be private.')
export const webPublicNotEnabled = refusal('BAD_REQUEST', 400, 'Web-public channels are not enabled.')

/** The properties that decide who can find a channel and read its messages. */
export type Privacy = Pick<Channel, 'isPrivate' | 'isWebPublic' | 'isHistoryShared'>

/** Returns whether both values of the privacy open a channel to the same users. */
export function samePrivacy(one: Privacy, other: Privacy): boolean {
  return (
    one.isPrivate === other.isPrivate &&
    one.isWebPublic === other.isWebPublic &&
    one.isHistoryShared === other.isHistoryShared
  )
}

/** The properties of the privacy that a request sets. Undefined properties are not set. */
export type PrivacyRequest = { [Part in keyof Privacy]?: boolean | undefined }

/**
 * Returns the privacy of a new channel. A private channel hides its history from later subscribers unless the request
 * says otherwise.
 */
export function requireNewPrivacy(given: PrivacyRequest): Privacy {
  const isPrivate = given.isPrivate ?? false
  return requireConsistent({
    isPrivate,
    isWebPublic: given.isWebPublic ?? false,
    isHistoryShared: given.isHistoryShared ?? !isPrivate,
  })
}

/**
 * Returns the privacy of a channel after a change. Properties that the request omits follow from the others, or stay
 * the same. A request that makes a channel private without mentioning its history hides the history from later
 * subscribers, as in a new channel.
 */
export function requireChangedPrivacy(present: Privacy, given: PrivacyRequest): Privacy {
  const isPrivate = given.isPrivate ?? (given.isWebPublic === true ? false : present.isPrivate)
  const defaultHistoryShared = !isPrivate || (given.isPrivate === undefined && present.isHistoryShared)
  return requireConsistent({
    isPrivate,
    isWebPublic: given.isWebPublic ?? (isPrivate ? false : present.isWebPublic),
    isHistoryShared: given.isHistoryShared ?? defaultHistoryShared,
  })
}

function requireConsistent(privacy: Privacy): Privacy {
  if (!privacy.isPrivate) {
    if (!privacy.isHistoryShared) throw invalidPrivacy()
  } else if (privacy.isWebPublic) throw invalidPrivacy()
  return privacy
}
