import type { KeyObject } from 'node:crypto'
import { t } from '#lib/text/t.ts'
import { type EmailBlock, renderLayout } from '#mail/email-layout.ts'
import type { EmailTemplates } from '#mail/email-template.ts'
import { findUserByDeliveryEmail } from '#people/users/queries.ts'
import { findRealm } from '#realms/queries.ts'
import { realmAddress } from '#realms/realm.ts'
import { SIGN_UP_TEMPLATE, signUpData, signUpKey } from './sign-up.ts'

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
        { button: t('Log in'), url: `${url}/login/` },
        t('If you forgot your password, choose “Forgot your password?” on the login page.'),
      ]
