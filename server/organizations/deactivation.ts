import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { expiredLinkPage, renderPage } from '#http/page-html.ts'
import { type PageCall, page } from '#http/pages.ts'
import { html } from '#lib/html.ts'
import { readSealedContent, seal, verifySeal } from '#lib/secrets.ts'
import { t } from '#lib/text.ts'
import { cancelMails, queueMails } from '#mail/outbox.ts'
import { type EmailTemplates, renderLayout } from '#mail/render-email.ts'
import { recordAudit } from '#people/audit.ts'
import { deleteSessionsOfRealm } from '#people/sessions.ts'
import { findActiveOwners, findActiveUserIds, findUser } from '#people/user-queries.ts'
import { findRealm, lockRealm, saveRealmFields } from '#realms/queries.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import type { Db, Transaction } from '#storage/storage.ts'

// Deactivating and reactivating an organization. A deactivated one cannot be used: sessions are deleted, queued emails
// are canceled, and every other way in checks its state. All data stays. The owners get an email; the link in it
// reactivates the organization once, but only if an owner deactivated it. Only the button of its page does,
// because email scanners open links.

const DEACTIVATED_TEMPLATE = 'organization-deactivated'

/** Seconds until a demo organization is deactivated. */
export const DEMO_LIFETIME = 30 * 86_400

/** Seconds for which the link in the email reactivates the organization. */
export const REACTIVATION_VALIDITY = 30 * 86_400

/** A permission to reactivate the organization that was deactivated at this time. */
type Reactivation = { realmId: number; userId: number; deactivatedAt: number }

const reactivation = z.object({ realmId: z.int(), userId: z.int(), deactivatedAt: z.number() })
const reactivationTuple = z.tuple([z.int(), z.int(), z.number()])
const emailData = reactivation.extend({ by: z.enum(['owner', 'operator', 'expiry']), ownerId: z.int().nullable() })

const PURPOSE = ['reactivate organization']
const contentOf = ({ realmId, userId, deactivatedAt }: Reactivation) => [realmId, userId, deactivatedAt]

/**
 * Deactivates the organization, and emails its owners. The caller holds the lock of the organization. `ownerId` is the
 * owner who did it; null if the operator did, or the time of a demo ended. If it is already deactivated, the operator
 * makes the links in earlier emails invalid, and nothing else happens.
 */
export async function deactivateOrganization(tx: Transaction, realm: Realm, ownerId: number | null): Promise<void> {
  const { id: realmId } = realm
  if (realm.deactivatedAt !== null && ownerId !== null) return
  await saveRealmFields(tx, realmId, { deactivatedAt: tx.now })
  if (realm.deactivatedAt !== null) return recordAudit(tx, realmId, 'organization_deactivated', {})
  await deleteSessionsOfRealm(tx, realmId)
  await cancelMails(tx, { realmId })
  await recordAudit(tx, realmId, 'organization_deactivated', {})
  const by = hasEnded(realm, tx.now) ? 'expiry' : ownerId === null ? 'operator' : 'owner'
  queueMails(
    tx,
    (await findActiveOwners(tx.db, realmId)).map(({ id: userId, deliveryEmail: recipient }) => ({
      realmId,
      recipient,
      letter: DEACTIVATED_TEMPLATE,
      data: { realmId, userId, deactivatedAt: tx.now, by, ownerId },
    })),
  )
  tx.emit(realmId, { type: 'realm', op: 'deactivated', realm_id: realmId }, await findActiveUserIds(tx.db, realmId))
}

const hasEnded = ({ demoEndsAt }: Realm, now: number) => demoEndsAt !== null && demoEndsAt <= now

/**
 * Reactivates the organization. Does nothing if it is active. A demo that has ended begins again. The caller holds the
 * lock of the organization.
 */
export async function reactivateOrganization(
  tx: Transaction,
  realm: Realm,
  actorId = tx.origin.actorId,
): Promise<void> {
  if (realm.deactivatedAt === null) return
  const again = hasEnded(realm, tx.now) ? { demoEndsAt: tx.now + DEMO_LIFETIME } : {}
  await saveRealmFields(tx, realm.id, { deactivatedAt: null, ...again })
  await recordAudit(tx, realm.id, 'organization_reactivated', { actorId })
}

/**
 * Returns the owner whom the key lets reactivate this organization. Returns null if the key is invalid, has expired or
 * was used, because the organization is active or was deactivated again.
 */
export async function findReactivation(
  db: Db,
  secret: KeyObject,
  realm: Realm,
  key: string,
  now: number,
): Promise<{ ownerId: number } | null> {
  const { id, deactivatedAt } = realm
  const parsed = reactivationTuple.safeParse(readSealedContent(key))
  if (!parsed.success || deactivatedAt === null || hasEnded(realm, now)) return null
  const [realmId, userId, time] = parsed.data
  const given = { realmId, userId, deactivatedAt: time }
  if (!verifySeal(secret, PURPOSE, contentOf(given), key)) return null
  if (realmId !== id || time !== deactivatedAt || time + REACTIVATION_VALIDITY <= now) return null
  const owner = (await findActiveOwners(db, id)).find((one) => one.id === userId)
  return owner === undefined ? null : { ownerId: owner.id }
}

/** Reactivates the organization with the key from the email. Returns false if the key is no longer valid. */
async function reactivateByKey(
  tx: Transaction,
  secret: KeyObject,
  { id }: Pick<Realm, 'id'>,
  key: string,
): Promise<boolean> {
  const realm = await lockRealm(tx, id)
  const found = await findReactivation(tx.db, secret, realm, key, tx.now)
  if (found === null) return false
  await reactivateOrganization(tx, realm, found.ownerId)
  return true
}

/** The email to the owners of a deactivated organization. It is not sent if the organization is active again. */
export function deactivationTemplates(secret: KeyObject): EmailTemplates {
  return {
    async [DEACTIVATED_TEMPLATE](data, { db, now }) {
      const { by, ownerId, ...given } = emailData.parse(data)
      const realm = await findRealm(db, given.realmId)
      if (realm === null || realm.deactivatedAt !== given.deactivatedAt) return null
      if (by === 'owner' && given.deactivatedAt + REACTIVATION_VALIDITY <= now) return null
      const owner = ownerId === null ? null : await findUser(db, ownerId)
      const { hostName, url } = realmAddress(realm.subdomain, db.settings.EXTERNAL_URL)
      const subject = t('{realm} was deactivated', { realm: realm.name })
      const page = renderLayout({
        heading: subject,
        blocks: [
          by === 'expiry'
            ? t('The time of the demo organization at {url} is over, so it was deactivated.', { url })
            : owner === null
              ? t('The operator of the server deactivated the organization at {url}.', { url })
              : t('{owner} deactivated the organization at {url}.', { owner: owner.fullName, url }),
          t(
            'Everyone was signed out, and bots and integrations stopped working. Messages, files and accounts are kept.',
          ),
          ...(by !== 'owner'
            ? [t('To use it again, ask the operator of the server to reactivate it.')]
            : [
                t('As an owner, you can reactivate it:'),
                {
                  button: t('Reactivate the organization'),
                  url: `${url}/reactivate/${seal(secret, PURPOSE, contentOf(given))}/`,
                },
                t('The link works once, within 30 days. Later, ask the operator of the server.'),
              ]),
        ],
        footer: t('You received this email because you are an owner of the organization at {url}.', { url }),
      })
      return { subject, ...page, list: { name: realm.name, host: hostName } }
    },
  }
}

const showReactivation = page({
  route: 'GET /reactivate/{key}/',
  who: 'anyone',
  async handle(call, { key }) {
    const { db, realm, secret, clock } = call
    if (realm === null || (await findReactivation(db, secret, realm, key, clock.now())) === null)
      return invalidReactivationPage(call)
    return renderPage({
      heading: t('Reactivate {realm}?', { realm: realm.name }),
      organization: realm,
      content: html`<p>${t('Everyone can sign in again, with the same accounts, channels and messages. Bots and integrations work again.')}</p>
<form method="post"><button>${t('Reactivate the organization')}</button></form>
`,
    })
  },
})

const submitReactivation = page({
  route: 'POST /reactivate/{key}/',
  who: 'anyone',
  async handle(call, { key }) {
    const { realm, secret, transaction } = call
    const isDone = realm !== null && (await transaction((tx) => reactivateByKey(tx, secret, realm, key)))
    if (!isDone) return invalidReactivationPage(call)
    return renderPage({
      heading: t('{realm} is active again', { realm: realm.name }),
      organization: realm,
      content: html`<p>${t('Everyone can sign in again.')}</p>
<p><a class="button" href="/login/">${t('Sign in')}</a></p>
`,
    })
  },
})

export const reactivationPages = [showReactivation, submitReactivation]

const invalidReactivationPage = ({ realm }: PageCall) =>
  realm?.deactivatedAt === null
    ? expiredLinkPage(
        html`<p>${t('The organization is active.')}</p>
<p><a class="button" href="/login/">${t('Sign in')}</a></p>
`,
        realm,
      )
    : expiredLinkPage(
        html`<p>${t('It may have been cut off, or it is more than 30 days old. The operator of the server can reactivate the organization.')}</p>\n`,
        realm ?? undefined,
      )
