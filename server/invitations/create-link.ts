import type { KeyObject } from 'node:crypto'
import { viewerOf } from '#groups/viewer.ts'
import type { Actor } from '#people/users/user.ts'
import { requireDomainName } from '#realms/domain-name.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import {
  requireActiveInviter,
  requireGrantableChannels,
  requireGrantableGroups,
  requireMayInvite,
  requireMayInviteAs,
} from './access.ts'
import { emitInvitationsChanged } from './events.ts'
import type { Invitation, InvitationOptions } from './invitation.ts'
import { invitationKey, type KeySource } from './key.ts'
import { newInvitation } from './new-invitation.ts'
import { saveInvitations } from './queries.ts'

/** The restrictions on who can use a link. */
type LinkLimits = Pick<Invitation, 'maxUses' | 'allowedDomains'>

/** Creates a link with which several people can join, each with an address of their own. Returns its URL. */
export async function createLink(
  tx: Transaction,
  actor: Actor,
  options: InvitationOptions,
  { maxUses, allowedDomains }: LinkLimits,
  secret: KeyObject,
): Promise<string> {
  const viewer = viewerOf(tx.db, actor, tx.now)
  await requireMayInvite(viewer, 'link')
  requireMayInviteAs(actor, options.role)
  await requireGrantableChannels(viewer, options.channelIds)
  await requireGrantableGroups(viewer, options.groupIds)
  const domains = [...new Set(allowedDomains.map(requireDomainName))]
  await requireActiveInviter(tx, actor)

  const link = newInvitation(tx, actor, options, { email: null, maxUses, allowedDomains: domains })
  const [id] = await saveInvitations(tx, [link])
  await emitInvitationsChanged(tx, actor.realmId, [actor.id])
  return invitationLinkUrl(
    actor.realm,
    { ...link, id: id as number, formerKeyHash: null },
    tx.db.settings.EXTERNAL_URL,
    secret,
  )
}

/** Returns the URL that people open to join with the link. */
export function invitationLinkUrl(realm: Realm, link: KeySource, externalUrl: string, secret: KeyObject): string {
  return `${realmAddress(realm.subdomain, externalUrl).url}/join/${invitationKey(secret, link)}/`
}
