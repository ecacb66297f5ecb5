import type { RenderedEmail } from '../delivery/mail/email-template.ts'
import type { Actor } from '../people/users/user.ts'
import type { Db } from '../platform/storage/storage.ts'
import { expiryOf, type InvitationOptions } from './invitation.ts'
import { renderInvitation } from './templates.ts'

/** What stands for the key of a link that there is not yet. */
const NO_KEY = 'preview'

/** The mail that an invitation of this kind would be sent with now; its link leads nowhere. */
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
