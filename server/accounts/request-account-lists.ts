import { t } from '#lib/text/t.ts'
import { type EmailBlock, renderLayout } from '#mail/email-layout.ts'
import type { EmailTemplates } from '#mail/email-template.ts'
import { queueMails } from '#mail/outbox.ts'
import { findRealm } from '#realms/queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { Db, Transaction } from '#storage/storage.ts'

const ACCOUNT_LIST_TEMPLATE = 'account-list'

/**
 * Emails each address a list of the organizations in which it has an account. For an address without an account, it
 * queues the same email, which is canceled later. Neither the response nor its time reveals which addresses have
 * accounts.
 */
export function requestAccountLists(tx: Transaction, emails: readonly string[]): void {
  queueMails(
    tx,
    emails.map((recipient) => ({ realmId: null, recipient, letter: ACCOUNT_LIST_TEMPLATE, data: {} })),
  )
}

/** The email that lists the organizations in which an address has an account. */
export const accountListTemplates: EmailTemplates = {
  async [ACCOUNT_LIST_TEMPLATE](_, { db, mail }) {
    const realms = await findRealmsOf(db, mail.recipient)
    if (realms.length === 0) return null
    const subject = t('Your organizations')
    const externalUrl = db.settings.EXTERNAL_URL
    return {
      subject,
      ...renderLayout({
        heading: subject,
        blocks: [
          t('{email} has an account in {count, plural, one {this organization} other {these organizations}}:', {
            email: mail.recipient,
            count: realms.length,
          }),
          ...realms.map((realm): EmailBlock => {
            const { url } = realmAddress(realm.subdomain, externalUrl)
            return { button: t('Log in to {organization}', { organization: realm.name }), url: `${url}/login/` }
          }),
        ],
        footer: t('You received this email because someone, probably you, entered your address at {url}.', {
          url: externalUrl,
        }),
      }),
    }
  },
}

/** Returns the active organizations in which a person has an active account with this address. Case is ignored. */
async function findRealmsOf(db: Db, email: string): Promise<Realm[]> {
  const rows = await db
    .selectFrom('realms')
    .innerJoin('users', 'users.realmId', 'realms.id')
    .select('realms.id')
    .where('realms.deactivatedAt', 'is', null)
    .where('users.emailKey', '=', email.toLowerCase())
    .where('users.deactivatedAt', 'is', null)
    .where('users.botType', 'is', null)
    .orderBy('realms.id')
    .execute()
  const realms = await Promise.all(rows.map(({ id }) => findRealm(db, id)))
  return realms.filter((realm) => realm !== null)
}
