import { createOrganizationWithOwner, type InitialChannel } from '#organizations/create-organization-with-owner.ts'
import { openSession } from '#people/sessions/open-session.ts'
import type { Session } from '#people/sessions/session.ts'
import type { User } from '#people/users/user.ts'
import { hasOrganization } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { RealmSettings } from '#realms/settings.ts'
import type { Transaction } from '#storage/storage.ts'
import type { CompleteSetupDraft, JoiningMethod } from './setup-draft.ts'
import { consumeSetupLink } from './setup-link.ts'

/** For each joining method, the settings that differ from their defaults. */
const SETTINGS: Readonly<Record<JoiningMethod, Partial<RealmSettings>>> = {
  mail: {},
  links: { can_invite_users_group: 'role:nobody' },
}

export type CompletedSetup = { realm: Realm; owner: User; session: Session; token: string }

/**
 * Creates the organization of the draft and opens a session for its owner. Returns null if the link is no longer valid
 * or an organization already exists.
 */
export async function completeSetup(
  tx: Transaction,
  link: string,
  { organization, owner, joining }: CompleteSetupDraft,
  channels: readonly InitialChannel[],
  userAgent: string,
): Promise<CompletedSetup | null> {
  const isFirst = await consumeSetupLink(tx, link)
  if (!isFirst || (await hasOrganization(tx.db))) return null
  const { type, ...address } = organization
  const created = await createOrganizationWithOwner(tx, {
    ...address,
    owner,
    channels,
    settings: { ...SETTINGS[joining], org_type: type },
  })
  return { ...created, ...(await openSession(tx, created.owner.id, { isKept: false, userAgent })) }
}
