import type { KeyObject } from 'node:crypto'
import { layOut } from '../mail/layout.ts'
import type { Letter, LetterContext, LetterWriters } from '../mail/letter.ts'
import { findRealm } from '../realms/queries.ts'
import { addressOf } from '../realms/realm.ts'
import { findUser } from '../users/queries.ts'
import { isPending } from './invitation.ts'
import { invitationKey } from './key.ts'
import { findInvitation } from './queries.ts'
import { momentInWords, roleInWords } from './wording.ts'

export const INVITATION_LETTER = 'invitation'
export const REMINDER_LETTER = 'invitation-reminder'

/** The mails of invitations; one whose link is dead is no longer sent. */
export function invitationLetters(secret: KeyObject): LetterWriters {
  return {
    [INVITATION_LETTER]: (_, context) =>
      writeLetter(secret, context, {
        subject: (inviter, realm) => `${inviter} has invited you to join ${realm}`,
        opening: (inviter, realm) => `${inviter} has invited you to join ${realm}, where people talk by topic.`,
      }),
    [REMINDER_LETTER]: (_, context) =>
      writeLetter(secret, context, {
        subject: (inviter, realm) => `Reminder: Join ${inviter} at ${realm}`,
        opening: (inviter, realm) =>
          `${inviter} is still waiting for you at ${realm}. The invitation ends in two days.`,
      }),
  }
}

type Wording = {
  subject(inviter: string, realm: string): string
  opening(inviter: string, realm: string): string
}

async function writeLetter(
  secret: KeyObject,
  { db, mail, now }: LetterContext,
  wording: Wording,
): Promise<Letter | null> {
  const invitation = mail.invitationId === null ? null : await findInvitation(db, mail.invitationId)
  if (invitation === null || !isPending(invitation, now)) return null
  const realm = await findRealm(db, invitation.realmId)
  const inviter = await findUser(db, invitation.inviterId)
  if (realm === null || inviter === null) return null
  const { hostName, url } = addressOf(realm.subdomain, db.settings.EXTERNAL_URL)

  const page = layOut({
    language: realm.settings.default_language,
    heading: `Join ${realm.name}`,
    blocks: [
      wording.opening(`${inviter.fullName} (${inviter.deliveryEmail})`, realm.name),
      { button: `Join ${realm.name}`, url: `${url}/accounts/do_confirm/${invitationKey(secret, invitation.keySeed)}` },
      `You will come in as ${roleInWords(invitation.role)}. ${validity(invitation.expiresAt)}`,
    ],
    footer: `You get this mail because ${inviter.fullName} entered your address at ${url}. If you did not expect it, ignore it: nothing happens.`,
  })
  return { subject: wording.subject(inviter.fullName, realm.name), ...page, list: { name: realm.name, host: hostName } }
}

function validity(expiresAt: number | null): string {
  if (expiresAt === null) return 'The invitation does not expire.'
  return `The invitation is valid until ${momentInWords(expiresAt)}.`
}
