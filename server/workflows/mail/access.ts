import { findInvitation } from '#invitations/queries.ts'
import { INVITATION_TEMPLATE, REMINDER_TEMPLATE } from '#invitations/templates.ts'
import { refusal } from '#lib/errors/refusal.ts'
import type { Mail } from '#mail/mail.ts'
import { findMail } from '#mail/queries.ts'
import { maySeeAddress } from '#people/users/access.ts'
import { findUserByDeliveryEmail, findUsersByDeliveryEmail } from '#people/users/queries.ts'
import type { Actor } from '#people/users/user.ts'
import { isOwner, Role } from '#rules/role.ts'
import type { Db } from '#storage/storage.ts'

export const noSuchMail = refusal('BAD_REQUEST', 400, 'No such email')

/**
 * The templates whose emails and recipients administrators may see. All other emails are private to the recipient, because
 * they contain a link that gives access to an account.
 */
const publicTemplates: readonly string[] = [INVITATION_TEMPLATE, REMINDER_TEMPLATE]

const isPublic = ({ letter }: Mail) => publicTemplates.includes(letter)

/** Returns an email of the organization. The caller must have checked that the actor is an administrator. */
export async function requireMail(db: Db, actor: Actor, id: number): Promise<Mail> {
  const mail = await findMail(db, id)
  if (mail === null || mail.realmId !== actor.realmId) throw noSuchMail()
  return mail
}

/**
 * Returns the templates of the emails that an administrator can find by this address. Returns undefined, which means
 * all templates, if the administrator may see the address, and the public templates otherwise.
 */
export async function searchableTemplates(
  db: Db,
  actor: Actor,
  recipient: string,
): Promise<readonly string[] | undefined> {
  const account = await findUserByDeliveryEmail(db, actor.realmId, recipient)
  return account !== null && maySeeAddress(actor, account) ? undefined : publicTemplates
}

/** Returns the emails whose recipient the administrator may see. */
export async function findMailsWithVisibleAddress(
  db: Db,
  actor: Actor,
  mails: readonly Mail[],
): Promise<ReadonlySet<Mail>> {
  const others = mails.filter((mail) => !isPublic(mail)).map(({ recipient }) => recipient)
  const accounts = others.length === 0 ? [] : await findUsersByDeliveryEmail(db, actor.realmId, others)
  const visible = accounts.filter((user) => maySeeAddress(actor, user)).map((user) => user.deliveryEmail.toLowerCase())
  return new Set(mails.filter((mail) => isPublic(mail) || visible.includes(mail.recipient.toLowerCase())))
}

/**
 * Returns whether the administrator may read the email. Administrators may read only invitations. Only owners may read
 * invitations to become an owner.
 */
export async function mayReadMail(db: Db, actor: Actor, mail: Mail): Promise<boolean> {
  if (!isPublic(mail) || mail.invitationId === null) return false
  const invitation = await findInvitation(db, mail.invitationId)
  return invitation !== null && (invitation.role !== Role.owner || isOwner(actor))
}
