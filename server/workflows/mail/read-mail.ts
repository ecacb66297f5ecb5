import type { Services } from '#http/endpoint.ts'
import { emailHeaders, renderEmail } from '#mail/email-message.ts'
import { type AttemptJson, type MailJson, toAttemptJson, toMailJson } from '#mail/mail-json.ts'
import { findAttempts } from '#mail/queries.ts'
import { requireAdministrator } from '#people/users/access.ts'
import type { Actor } from '#people/users/user.ts'
import { findMailsWithVisibleAddress, mayReadMail, requireMail } from './access.ts'
import { emailRenderer } from './email-renderer.ts'

/**
 * An email as an administrator sees it. `message` is null if the administrator may not read it, or if it no longer
 * exists.
 */
type ReadMail = {
  mail: MailJson
  attempts: AttemptJson[]
  has_relay: boolean
  contents: 'shown' | 'private' | 'gone'
  message: { subject: string; text: string; html: string; headers: Record<string, string> } | null
}

/**
 * Returns the email as it was or will be sent. Refuses users who are not administrators, and emails of other
 * organizations.
 */
export async function readMail(
  { db, clock, secret, settings }: Pick<Services, 'db' | 'clock' | 'secret' | 'settings'>,
  actor: Actor,
  mailId: number,
): Promise<ReadMail> {
  requireAdministrator(actor)
  const mail = await requireMail(db, actor, mailId)
  const showsAddress = (await findMailsWithVisibleAddress(db, actor, [mail])).has(mail)
  const attempts = await findAttempts(db, mail.id)
  const shown = {
    mail: toMailJson(mail, showsAddress),
    attempts: attempts.map((attempt) => toAttemptJson(attempt, showsAddress)),
    has_relay: settings.SMTP_URL !== '',
  }
  if (!(await mayReadMail(db, actor, mail))) return { ...shown, contents: 'private', message: null }

  const written = await renderEmail(db, mail, emailRenderer(secret, settings, clock), clock.now())
  if (written === null) return { ...shown, contents: 'gone', message: null }
  const { subject, text, html } = written
  const headers = emailHeaders({ ...written, date: attempts.at(-1)?.startedAt ?? written.date })
  return { ...shown, contents: 'shown', message: { subject, text, html, headers } }
}
