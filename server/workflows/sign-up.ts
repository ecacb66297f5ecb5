import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { createUser, findUsualMemberships } from '#accounts/change-users.ts'
import { refusal } from '#lib/errors.ts'
import { readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import { queueMail } from '#mail/outbox.ts'
import { type EmailBlock, type EmailTemplates, renderLayout } from '#mail/render-email.ts'
import { addRecentHistory } from '#messages/flags.ts'
import { hasLicenses, noLicensesLeft } from '#people/creation-limits.ts'
import { findUserByDeliveryEmail, lockEmailAddresses } from '#people/user-queries.ts'
import type { User } from '#people/users.ts'
import { findRealm } from '#realms/queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { Role } from '#rules/role.ts'
import type { Transaction } from '#storage/storage.ts'
import { type NewAccount, sendWelcomeMessages } from './accept-invitation.ts'

// Joining an organization that requires no invitation: the link that proves an address, and creating the account with
// it. All conditions are checked again when the link is used.

const SIGN_UP_TEMPLATE = 'sign-up'

/** Seconds until the link in the email expires. */
export const SIGN_UP_VALIDITY = 86_400

export const invitationRequired = refusal('BAD_REQUEST', 403, 'You need an invitation to join this organization.')

/** A permission to create an account with an address in an organization that requires no invitation. */
export type SignUp = { realmId: number; email: string; expiresAt: number }

const signUpData = z.object({ realmId: z.int(), email: z.string(), expiresAt: z.number() })

const PURPOSE = ['sign up']
const content = ({ realmId, email, expiresAt }: SignUp) => [realmId, email, expiresAt]
const signUpTuple = z.tuple([z.int(), z.string(), z.number()])

/** Returns the key at the end of the sign-up link. */
const signUpKey = (secret: KeyObject, signUp: SignUp): string => seal(secret, PURPOSE, content(signUp))

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

/**
 * The email that answers a request to join. It alone says whether the address has an account, so that only its
 * recipient learns this.
 */
export function signUpTemplates(secret: KeyObject): EmailTemplates {
  return {
    async [SIGN_UP_TEMPLATE](data, { db, now }) {
      const signUp = signUpData.parse(data)
      const realm = await findRealm(db, signUp.realmId)
      if (realm === null || realm.deactivatedAt !== null || signUp.expiresAt <= now) return null
      const { name } = realm
      const { hostName, url } = realmAddress(realm.subdomain, db.settings.EXTERNAL_URL)
      const account = await findUserByDeliveryEmail(db, realm.id, signUp.email)
      if (account === null && realm.settings.invite_required) return null
      const subject =
        account === null
          ? t('Confirm your email address to join {realm}', { realm: name })
          : t('Your account at {realm}', { realm: name })
      const page = renderLayout({
        heading: subject,
        blocks: account === null ? newAccount(secret, url, signUp) : existing(url, account.deactivatedAt !== null),
        footer: t('You received this email because someone entered your address at {url}.', { url }),
      })
      return { subject, ...page, list: { name, host: hostName } }
    },
  }
}

const newAccount = (secret: KeyObject, url: string, signUp: Parameters<typeof signUpKey>[1]): EmailBlock[] => [
  t('Someone, probably you, asked to join {url} with this address.', { url }),
  { button: t('Create your account'), url: `${url}/accounts/sign_up/${signUpKey(secret, signUp)}/` },
  t('The link expires after a day. If you did not ask for it, ignore this email, and no account is created.'),
]

const existing = (url: string, isDeactivated: boolean): EmailBlock[] =>
  isDeactivated
    ? [
        t('Someone, probably you, asked to join {url}, but your account there was deactivated.', { url }),
        t('To use it again, ask an administrator of the organization to reactivate it.'),
      ]
    : [
        t('Someone, probably you, asked to join {url}, but this address already has an account there.', { url }),
        { button: t('Sign in'), url: `${url}/login/` },
        t('If you forgot your password, choose “Forgot it?” on the sign-in page.'),
      ]
