import { queueMail } from '#mail/outbox.ts'
import type { Transaction } from '#storage/storage.ts'
import { NEW_LOGIN_TEMPLATE } from '../users/login-email.ts'
import type { User } from '../users/user.ts'
import { browserName } from './browser-name.ts'

/**
 * Seconds after joining during which no emails about logins are sent, because users try their new account in several
 * browsers then.
 */
const FIRST_LOGINS = 300

type Login = { userAgent: string; remoteAddress: string }

/**
 * Emails the user about a login in a new browser. Sends nothing if they have just joined or do not want these emails.
 */
export async function notifyNewLogin(tx: Transaction, user: User, { userAgent, remoteAddress }: Login): Promise<void> {
  if (!user.settings.enable_login_emails || tx.now - user.joinedAt < FIRST_LOGINS) return
  const [address = ''] = remoteAddress.replace(/^::ffff:(?=\d+\.)/, '').split('%')
  await queueMail(tx, {
    realmId: user.realmId,
    recipient: user.deliveryEmail,
    letter: NEW_LOGIN_TEMPLATE,
    data: { userId: user.id, at: tx.now, browser: browserName(userAgent), address },
  })
}
