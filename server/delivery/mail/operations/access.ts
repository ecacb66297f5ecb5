import { findInvitation } from '../../../invitations/queries.ts'
import { INVITATION_TEMPLATE, REMINDER_TEMPLATE } from '../../../invitations/templates.ts'
import { findUserByDeliveryEmail, findUsersByDeliveryEmail } from '../../../people/users/queries.ts'
import { isOwner, Role } from '../../../people/users/role.ts'
import { type Actor, maySeeAddress } from '../../../people/users/user.ts'
import { refusal } from '../../../platform/errors/refusal.ts'
import type { Db } from '../../../platform/storage/storage.ts'
import type { Mail } from '../mail.ts'
import { findMail } from '../queries.ts'

export const noSuchMail = refusal('BAD_REQUEST', 400, 'No such mail')

/**
 * Letters whose address and words are the organization's business. Every other letter is its recipient's alone: with
 * the link in it anybody could take over an account.
 */
const publicTemplates: readonly string[] = [INVITATION_TEMPLATE, REMINDER_TEMPLATE]

const isOpen = ({ letter }: Mail) => publicTemplates.includes(letter)

/** A mail of the organization; that the actor is an administrator has been checked. */
export async function requireMail(db: Db, actor: Actor, id: number): Promise<Mail> {
  const mail = await findMail(db, id)
  if (mail === null || mail.realmId !== actor.realmId) throw noSuchMail()
  return mail
}

/** Which letters an administrator finds by an address: only the open ones, where it may be one that they may not see. */
export async function searchableTemplates(
  db: Db,
  actor: Actor,
  recipient: string,
): Promise<readonly string[] | undefined> {
  const account = await findUserByDeliveryEmail(db, actor.realmId, recipient)
  return account !== null && maySeeAddress(actor, account) ? undefined : publicTemplates
}

/** Those of the mails whose address an administrator may see. */
export async function findMailsWithVisibleAddress(
  db: Db,
  actor: Actor,
  mails: readonly Mail[],
): Promise<ReadonlySet<Mail>> {
  const others = mails.filter((mail) => !isOpen(mail)).map(({ recipient }) => recipient)
  const accounts = others.length === 0 ? [] : await findUsersByDeliveryEmail(db, actor.realmId, others)
  const visible = accounts.filter((user) => maySeeAddress(actor, user)).map((user) => user.deliveryEmail.toLowerCase())
  return new Set(mails.filter((mail) => isOpen(mail) || visible.includes(mail.recipient.toLowerCase())))
}

/** Whether an administrator may read a mail: an invitation, and one that makes an owner only as an owner. */
export async function mayReadMail(db: Db, actor: Actor, mail: Mail): Promise<boolean> {
  if (!isOpen(mail) || mail.invitationId === null) return false
  const invitation = await findInvitation(db, mail.invitationId)
  return invitation !== null && (invitation.role !== Role.owner || isOwner(actor))
}
