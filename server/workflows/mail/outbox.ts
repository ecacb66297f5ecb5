import { z } from 'zod'
import { endpoint } from '#http/endpoint.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { deliveryStates } from '#mail/mail.ts'
import { attemptJson, mailJson, toMailJson } from '#mail/mail-json.ts'
import { retryMail } from '#mail/outbox.ts'
import { findMails } from '#mail/queries.ts'
import { mustBeAdministrator, requireAdministrator } from '#people/users/access.ts'
import { findMailsWithVisibleAddress, noSuchMail, requireMail, searchableTemplates } from './access.ts'
import { readMail } from './read-mail.ts'

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
    })
    return {}
  },
})

export const mailEndpoints = [listMails, getMail, retryMailEndpoint]
