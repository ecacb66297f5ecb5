import type { KeyObject } from 'node:crypto'
import { mayStillInvite } from '#invitations/access.ts'
import { type Invitation, type InvitationState, invitationStateOf } from '#invitations/invitation.ts'
import { findInvitationByKey, findPendingInvitationsTo } from '#invitations/queries.ts'
import { findUser } from '#people/users/queries.ts'
import type { Actor } from '#people/users/user.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'

/** `inviter-gone`: the inviter's account was deactivated, or the inviter may no longer invite to that role. */
export type JoinState = Exclude<InvitationState, 'inviter-deactivated'> | 'inviter-gone'

/** An invitation that was found by the key of its link, and whether it can be used. */
export type InvitationStatus = { state: JoinState; invitation: Invitation; inviter: Actor }

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
