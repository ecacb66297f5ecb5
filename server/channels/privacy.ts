import { hasPermission } from '../groups/membership.ts'
import { insufficientPermission } from '../people/users/access.ts'
import type { Actor } from '../people/users/user.ts'
import { refusal } from '../platform/errors/refusal.ts'
import type { Db } from '../platform/storage/storage.ts'
import type { Channel } from './channel.ts'

export const invalidPrivacy = refusal('BAD_REQUEST', 400, 'Invalid parameters')
export const defaultCannotBePrivate = refusal('BAD_REQUEST', 400, 'A default channel cannot be private.')
export const webPublicNotEnabled = refusal('BAD_REQUEST', 400, 'Web-public channels are not enabled.')

/** Who can find a channel and read what was said in it. */
export type Privacy = Pick<Channel, 'isPrivate' | 'isWebPublic' | 'isHistoryShared'>

/** Whether both are open to the same people. */
export function samePrivacy(one: Privacy, other: Privacy): boolean {
  return (
    one.isPrivate === other.isPrivate &&
    one.isWebPublic === other.isWebPublic &&
    one.isHistoryShared === other.isHistoryShared
  )
}

/** As much of it as a request says. */
export type PrivacyRequest = { [Part in keyof Privacy]?: boolean | undefined }

/**
 * The privacy that a request for a new channel means. A private channel hides its history from later subscribers unless
 * told otherwise.
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
 * The privacy that a request to change a channel means: what it does not say follows, or stays. A request for a private
 * channel that does not mention the history protects it, as the request for a new private channel does.
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

/** Refuses unless the organization lets the actor make channels of this privacy. Owners have no bypass. */
export async function requireMaySetPrivacy(db: Db, actor: Actor, privacy: Privacy, now: number): Promise<void> {
  if (privacy.isWebPublic && !actor.realm.settings.enable_spectator_access) throw webPublicNotEnabled()
  const permission = privacy.isWebPublic
    ? 'can_create_web_public_channel_group'
    : privacy.isPrivate
      ? 'can_create_private_channel_group'
      : 'can_create_public_channel_group'
  if (!(await hasPermission(db, actor, permission, now))) throw insufficientPermission()
}
