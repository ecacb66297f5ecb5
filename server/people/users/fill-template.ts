import { t } from '#lib/text/t.ts'
import { type EmailBlock, renderLayout } from '#mail/email-layout.ts'
import type { RenderedEmail, TemplateContext } from '#mail/email-template.ts'
import { findRealm } from '#realms/queries.ts'
import { realmAddress } from '#realms/realm.ts'
import { findUser } from './queries.ts'
import type { User } from './user.ts'

type TemplateData = { user: User; realm: string; url: string }

/** Renders an email to a user about their account. Returns null if the account or the organization no longer exists. */
export async function fillTemplate(
  { db }: TemplateContext,
  userId: number,
  write: (facts: TemplateData) => { subject: string; blocks: EmailBlock[] },
): Promise<RenderedEmail | null> {
  const user = await findUser(db, userId)
  const realm = user === null ? null : await findRealm(db, user.realmId)
  if (user === null || realm === null) return null
  const { hostName, url } = realmAddress(realm.subdomain, db.settings.EXTERNAL_URL)
  const { subject, blocks } = write({ user, realm: realm.name, url })
  const page = renderLayout({
    heading: subject,
    blocks,
    footer: t('You received this email because you have an account at {url}.', { url }),
  })
  return { subject, ...page, list: { name: realm.name, host: hostName } }
}
