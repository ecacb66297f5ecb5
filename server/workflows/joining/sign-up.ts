import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { createUser, findUsualMemberships } from '#accounts/create-user.ts'
import { hasLicenses } from '#invitations/limits.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { readSealedContent, seal, verifySeal } from '#lib/security/seal.ts'
import { queueMail } from '#mail/outbox.ts'
import { addRecentHistory } from '#messages/flags/add-recent-history.ts'
import { lockEmailAddresses } from '#people/users/queries.ts'
import type { User } from '#people/users/user.ts'
import { findRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { type NewAccount, noLicensesLeft } from './accept-invitation.ts'
import { sendWelcomeMessages } from './send-welcome-messages.ts'

export const SIGN_UP_TEMPLATE = 'sign-up'

/** Seconds until the link in the email expires. */
export const SIGN_UP_VALIDITY = 86_400

export const invitationRequired = refusal('BAD_REQUEST', 403, 'You need an invitation to join this organization.')

/** A permission to create an account with an address in an organization that requires no invitation. */
export type SignUp = { realmId: number; email: string; expiresAt: number }

export const signUpData = z.object({ realmId: z.int(), email: z.string(), expiresAt: z.number() })

const PURPOSE = ['sign up']
const content = ({ realmId, email, expiresAt }: SignUp) => [realmId, email, expiresAt]
const signUpTuple = z.tuple([z.int(), z.string(), z.number()])

/** Returns the key at the end of the sign-up link. */
export const signUpKey = (secret: KeyObject, signUp: SignUp): string => seal(secret, PURPOSE, content(signUp))

/** Returns the permission that the key gives in this organization; null if the key is invalid or has expired. */
export function readSignUp(secret: KeyObject, realm: Realm, key: string, now: number): SignUp | null {
  const parsed = signUpTuple.safeParse(readSealedContent(key))
  if (!parsed.success) return null
  const [realmId, email, expiresAt] = parsed.data
  const signUp = { realmId, email, expiresAt }
  const isValid = verifySeal(secret, PURPOSE, content(signUp), key)
  return isValid && realmId === realm.id && expiresAt > now ? signUp : null
}

/**
 * Emails a link to the address, or a notice if the address already has an account. The caller has checked that the
 * address may join.
 */
export async function requestSignUp(tx: Transaction, realm: Realm, email: string): Promise<void> {
  const data: SignUp = { realmId: realm.id, email, expiresAt: tx.now + SIGN_UP_VALIDITY }
  await queueMail(tx, { realmId: realm.id, recipient: email, letter: SIGN_UP_TEMPLATE, data })
}

/**
 * Creates a member's account and subscribes it to the default channels. All conditions are checked again, since the
 * organization may have changed after the email was sent.
 */
export async function signUp(
  tx: Transaction,
  { realmId, email }: SignUp,
  account: Omit<NewAccount, 'email'>,
): Promise<User> {
  await lockEmailAddresses(tx, realmId)
  const realm = await findRealm(tx.db, realmId)
  if (realm === null || realm.deactivatedAt !== null || realm.settings.invite_required) throw invitationRequired()
  if (!(await hasLicenses(tx.db, realm, 1))) throw noLicensesLeft()
  const memberships = await findUsualMemberships(tx, realm)
  const user = await createUser(tx, realm, { ...account, deliveryEmail: email, role: Role.member }, memberships)
  await addRecentHistory(tx, user.id, memberships.channels)
  await sendWelcomeMessages(tx, user, null)
  return user
}
