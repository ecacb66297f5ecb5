import type { KeyObject } from 'node:crypto'
import { z } from 'zod'
import { accountEmailTemplates, accountListTemplates } from '#accounts/account-emails.ts'
import { secondFactorTemplates } from '#accounts/second-factor-changes.ts'
import type { Settings } from '#config.ts'
import { endpoint, type Services } from '#http/endpoint.ts'
import { renderPage } from '#http/page-html.ts'
import { isolatedPage, page } from '#http/pages.ts'
import { INVITATION_TEMPLATE } from '#invitations/invitation.ts'
import { invitationTemplates, REMINDER_TEMPLATE } from '#invitations/invitation-emails.ts'
import { findInvitation } from '#invitations/queries.ts'
import type { Clock } from '#lib/clock.ts'
import { refusal } from '#lib/errors.ts'
import { t } from '#lib/text.ts'
import {
  type AttemptJson,
  attemptJson,
  deliveryStates,
  type Mail,
  type MailJson,
  mailJson,
  retryMail,
  toAttemptJson,
  toMailJson,
} from '#mail/outbox.ts'
import { findAttempts, findMail, findMails } from '#mail/queries.ts'
import { type EmailRenderer, emailHeaders, renderEmail } from '#mail/render-email.ts'
import { digestTemplates } from '#notifications/digests.ts'
import { missedMessagesTemplates } from '#notifications/missed-messages.ts'
import { deactivationTemplates } from '#organizations/deactivation.ts'
import { maySeeAddress, mustBeAdministrator, requireAdministrator } from '#people/access.ts'
import { recordAudit } from '#people/audit.ts'
import { findUserByDeliveryEmail, findUsersByDeliveryEmail } from '#people/user-queries.ts'
import type { Actor } from '#people/users.ts'
import { isOwner, Role } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'
import { connectTemplates } from './external-sign-in.ts'
import { setupTemplates } from './set-up-organization.ts'
import { signUpTemplates } from './sign-up.ts'

// All emails of the server by template, and everything else that needs to know all of them: the list of sent emails
// for administrators, and their HTML.

export function emailRenderer(secret: KeyObject, settings: Settings, clock: Clock): EmailRenderer {
  return {
    templates: {
      ...invitationTemplates(secret),
      ...signUpTemplates(secret),
      ...connectTemplates(secret),
      ...accountEmailTemplates(secret),
      ...secondFactorTemplates,
      ...accountListTemplates,
      ...missedMessagesTemplates(secret),
      ...digestTemplates(secret, clock),
      ...deactivationTemplates(secret),
      ...setupTemplates(secret),
    },
    sender: { productName: 'Parley', noReplyAddress: settings.MAIL_FROM, tokenizedNoReply: true },
  }
}

const noSuchMail = refusal('BAD_REQUEST', 400, 'No such email')

/**
 * The templates whose emails and recipients administrators may see. All other emails are private to the recipient, because
 * they contain a link that gives access to an account.
 */
const publicTemplates: readonly string[] = [INVITATION_TEMPLATE, REMINDER_TEMPLATE]

const isPublic = ({ letter }: Mail) => publicTemplates.includes(letter)

/** Returns an email of the organization. The caller must have checked that the actor is an administrator. */
async function requireMail(db: Db, actor: Actor, id: number): Promise<Mail> {
  const mail = await findMail(db, id)
  if (mail === null || mail.realmId !== actor.realmId) throw noSuchMail()
  return mail
}

/**
 * Returns the templates of the emails that an administrator can find by this address. Returns undefined, which means
 * all templates, if the administrator may see the address, and the public templates otherwise.
 */
async function searchableTemplates(db: Db, actor: Actor, recipient: string): Promise<readonly string[] | undefined> {
  const account = await findUserByDeliveryEmail(db, actor.realmId, recipient)
  return account !== null && maySeeAddress(actor, account) ? undefined : publicTemplates
}

/** Returns the emails whose recipient the administrator may see. */
async function findMailsWithVisibleAddress(db: Db, actor: Actor, mails: readonly Mail[]): Promise<ReadonlySet<Mail>> {
  const others = mails.filter((mail) => !isPublic(mail)).map(({ recipient }) => recipient)
  const accounts = others.length === 0 ? [] : await findUsersByDeliveryEmail(db, actor.realmId, others)
  const visible = accounts.filter((user) => maySeeAddress(actor, user)).map((user) => user.deliveryEmail.toLowerCase())
  return new Set(mails.filter((mail) => isPublic(mail) || visible.includes(mail.recipient.toLowerCase())))
}

/**
 * Returns whether the administrator may read the email. Administrators may read only invitations. Only owners may read
 * invitations to become an owner.
 */
async function mayReadMail(db: Db, actor: Actor, mail: Mail): Promise<boolean> {
  if (!isPublic(mail) || mail.invitationId === null) return false
  const invitation = await findInvitation(db, mail.invitationId)
  return invitation !== null && (invitation.role !== Role.owner || isOwner(actor))
}

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
async function readMail(
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

const listMails = endpoint({
  route: 'GET /mails',
  summary: 'List the emails of the organization',
  description: 'Requires an administrator. The newest come first.',
  who: 'human',
  params: {
    state: z.enum(deliveryStates).optional(),
    recipient: z.string().optional().describe('Only emails to this address, ignoring case.'),
    invite_id: z.int().optional(),
    before: z.int().optional().describe('Only emails older than the one with this id: the next page.'),
    limit: z.int().min(1).max(100).default(50),
  },
  returns: { mails: z.array(mailJson), found_oldest: z.boolean() },
  refuses: [mustBeAdministrator],
  async handle({ db, actor }, { state, recipient, invite_id, before, limit }) {
    requireAdministrator(actor)
    const templates = recipient === undefined ? undefined : await searchableTemplates(db, actor, recipient)
    const found = await findMails(db, {
      realmId: actor.realmId,
      limit: limit + 1,
      ...(templates && { templates }),
      ...(state && { state }),
      ...(recipient !== undefined && { recipient }),
      ...(invite_id !== undefined && { invitationIds: [invite_id] }),
      ...(before !== undefined && { beforeId: before }),
    })
    const mails = found.slice(0, limit)
    const withAddress = await findMailsWithVisibleAddress(db, actor, mails)
    return {
      mails: mails.map((mail) => toMailJson(mail, withAddress.has(mail))),
      found_oldest: found.length <= limit,
    }
  },
})

const getMail = endpoint({
  route: 'GET /mails/{mail_id}',
  summary: 'Get an email as it was or will be sent',
  description:
    'Includes every attempt to send it. Requires an administrator. Only invitations can be read, and only owners can read those that ' +
    'invite an owner. Other emails are private to their recipients.',
  who: 'human',
  holdsSecrets: true,
  returns: {
    mail: mailJson,
    attempts: z.array(attemptJson).describe('Oldest first.'),
    has_relay: z.boolean().describe('False if the server is configured without a relay, so that it keeps all emails.'),
    contents: z
      .enum(['shown', 'private', 'gone'])
      .describe('`private`: only the recipient may read it; `gone`: its link was used or revoked, or has expired.'),
    message: z
      .object({
        subject: z.string(),
        text: z.string(),
        html: z.string(),
        headers: z.record(z.string(), z.string()),
      })
      .nullable()
      .describe('Null unless the contents are shown.'),
  },
  refuses: [mustBeAdministrator, noSuchMail],
  handle: (call, { mail_id }) => readMail(call, call.actor, mail_id),
})

const cannotRetry = refusal('BAD_REQUEST', 400, 'This email was already sent or has been canceled.')

const retryMailEndpoint = endpoint({
  route: 'POST /mails/{mail_id}/retry',
  summary: 'Send an email now',
  description:
    'Immediately sends an email that failed, was kept or is waiting, and allows all attempts again. Requires an administrator.',
  who: 'human',
  refuses: [mustBeAdministrator, noSuchMail, cannotRetry],
  async handle({ transaction, actor }, { mail_id }) {
    requireAdministrator(actor)
    await transaction(async (tx) => {
      const mail = await requireMail(tx.db, actor, mail_id)
      if (!(await retryMail(tx, mail.id))) throw cannotRetry()
      await recordAudit(tx, actor.realmId, 'mail_retried', {})
    })
    return {}
  },
})

export const mailEndpoints = [listMails, getMail, retryMailEndpoint]

/** Shows the HTML of an email, for a frame in the web client. */
export const showMail = page({
  route: 'GET /mails/{mail_id}/html',
  who: 'user',
  async handle(call, { mail_id }) {
    const id = /^\d{1,15}$/.test(mail_id) ? Number(mail_id) : 0
    const { message } = await readMail(call, call.visitor.actor, id)
    if (message === null) return renderPage({ status: 404, heading: t('This email cannot be shown') })
    return isolatedPage(message.html)
  },
})
