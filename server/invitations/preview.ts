import type { RenderedEmail } from '#mail/email-template.ts'
import type { Actor } from '#people/users/user.ts'
import type { Db } from '#storage/storage.ts'
import { expiryOf, type InvitationOptions } from './invitation.ts'
import { renderInvitation } from './templates.ts'

/** A placeholder for the key of an invitation that does not exist yet. */
const NO_KEY = 'preview'

/** Returns the email that an invitation with these options would send now. The link in it does not work. */
export function previewInvitation(
  db: Db,
  actor: Actor,
  { role, lifetimeMinutes }: Pick<InvitationOptions, 'role' | 'lifetimeMinutes'>,
  now: number,
): RenderedEmail {
  const expiresAt = expiryOf(now, lifetimeMinutes)
  return renderInvitation(
    { inviter: actor, realm: actor.realm, role, expiresAt, key: NO_KEY },
    db.settings.EXTERNAL_URL,
  )
}
