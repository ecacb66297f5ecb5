import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { insufficientPermission } from '#people/users/access.ts'
import type { Actor } from '#people/users/user.ts'
import type { RealmEmoji } from '#realms/emoji-queries.ts'
import { isAdministrator } from '#rules/role.ts'

export const mayNotOverrideEmoji = refusal('BAD_REQUEST', 400, 'Only administrators can override default emoji.', {
  field: 'emoji_name',
})
export const mustBeEmojiAuthor = refusal('BAD_REQUEST', 400, 'Must be an organization administrator or emoji author.')

export async function requireMayAddEmoji(viewer: Viewer): Promise<void> {
  if (!(await viewer.has('can_add_custom_emoji_group'))) throw insufficientPermission()
}

/** Refuses unless the actor may add a custom emoji with the name of a built-in one. */
export function requireMayOverrideEmoji(actor: Actor): void {
  if (!isAdministrator(actor)) throw mayNotOverrideEmoji()
}

/** Refuses unless the actor added the emoji or is an administrator. */
export function requireMayRemoveEmoji(actor: Actor, emoji: RealmEmoji): void {
  if (emoji.authorId !== actor.id && !isAdministrator(actor)) throw mustBeEmojiAuthor()
}
