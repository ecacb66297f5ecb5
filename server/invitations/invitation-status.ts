import type { KeyObject } from 'node:crypto'
import type { Channel } from '#channels/channel.ts'
import { findDefaultChannels } from '#channels/queries.ts'
import type { Group } from '#groups/group.ts'
import { viewerOf } from '#groups/viewer.ts'
import { findUser } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'
import { type Invitation, type InvitationEndReason, isByEmail } from './invitation.ts'
import { findGrantableChannels, findGrantableGroups, invitingPermissions, mayInviteAs } from './inviting/access.ts'
import { findInvitationByKey, findPendingInvitationsTo } from './queries.ts'

// The state of an invitation at this moment: whether its link can be used, and what it still grants. An invitation
// grants only what its inviter may still grant, so it loses its power when the inviter does.

/** `inviter-gone`: the inviter's account was deactivated, or the inviter may no longer invite to that role. */
export type JoinState = Exclude<InvitationState, 'inviter-deactivated'> | 'inviter-gone'

/** An invitation that was found by the key of its link, and whether it can be used. */
export type InvitationStatus = { state: JoinState; invitation: Invitation; inviter: Actor }

/** The channels and groups that the new account joins. */
export type InvitationGrants = { channels: Channel[]; groups: Group[] }

type InvitationState = 'pending' | 'expired' | InvitationEndReason

export function invitationStateOf({ endedAs, expiresAt }: Invitation, now: number): InvitationState {
  if (endedAs !== null) return endedAs
  return expiresAt !== null && now > expiresAt ? 'expired' : 'pending'
}

/** Returns whether the invitation has neither ended nor expired. */
export function isPending(invitation: Invitation, now: number): boolean {
  return invitationStateOf(invitation, now) === 'pending'
}

/**
 * Returns the invitation with this key, and whether it can be used; null if the organization never had the key. Looking
 * up an invitation does not use it.
 */
export async function findInvitationStatus(
  db: Db,
  realm: Realm,
  key: string,
  secret: KeyObject,
  now: number,
): Promise<InvitationStatus | null> {
  const invitation = await findInvitationByKey(db, realm.id, key, secret)
  if (invitation === null) return null
  const inviter = await findInviter(db, realm, invitation)
  return { state: await joinStateOf(db, invitation, inviter, now), invitation, inviter }
}

/** Returns the newest invitation to the address that can be used; null if there is none. */
export async function findUsableInvitation(
  db: Db,
  realm: Realm,
  email: string,
  now: number,
): Promise<Invitation | null> {
  for (const invitation of await findPendingInvitationsTo(db, realm.id, email, now)) {
    const inviter = await findInviter(db, realm, invitation)
    if ((await joinStateOf(db, invitation, inviter, now)) === 'pending') return invitation
  }
  return null
}

async function joinStateOf(db: Db, invitation: Invitation, inviter: Actor, now: number): Promise<JoinState> {
  const state = invitationStateOf(invitation, now)
  if (state === 'inviter-deactivated') return 'inviter-gone'
  if (state !== 'pending') return state
  return (await mayStillInvite(db, inviter, invitation, now)) ? 'pending' : 'inviter-gone'
}

export async function findInviter(db: Db, realm: Realm, { inviterId }: Invitation): Promise<Actor> {
  const inviter = await findUser(db, inviterId)
  if (inviter === null) throw new Error('An invitation has no inviter')
  return { ...inviter, realm }
}

/** Returns whether the inviter's account is active and may still send invitations of this kind to this role. */
export async function mayStillInvite(db: Db, inviter: Actor, invitation: Invitation, now: number): Promise<boolean> {
  if (inviter.deactivatedAt !== null || !mayInviteAs(inviter, invitation.role)) return false
  return viewerOf(db, inviter, now).has(invitingPermissions[isByEmail(invitation) ? 'email' : 'link'])
}

/**
 * Returns the channels and groups of the invitation that still exist and that the inviter may still grant. Also returns
 * the current default channels, if the invitation includes them.
 */
export async function findGrants(
  db: Db,
  inviter: Actor,
  invitation: Invitation,
  now: number,
): Promise<InvitationGrants> {
  const viewer = viewerOf(db, inviter, now)
  const ownChannels = await findGrantableChannels(viewer, invitation.channelIds)
  const defaultChannels = invitation.includesDefaultChannels ? await findDefaultChannels(db, inviter.realmId) : []
  const channels = new Map([...ownChannels, ...defaultChannels].map((channel) => [channel.id, channel]))
  return {
    channels: [...channels.values()],
    groups: await findGrantableGroups(viewer, invitation.groupIds),
  }
}
