import { refusal } from '../base/refusal.ts'
import { renderMarkdown } from '../markdown/render.ts'
import { emptyScope } from '../markdown/scope.ts'
import { addressOf, type Realm } from '../realms/realm.ts'
import { toStorableText } from '../storage/bind.ts'

/** In code points. */
export const MAX_DESCRIPTION_LENGTH = 1024

export const descriptionTooLong = refusal(
  'BAD_REQUEST',
  400,
  `description is too long (limit: ${MAX_DESCRIPTION_LENGTH} characters)`,
)

export type Description = { description: string; renderedDescription: string }

/** The description as one line, with its HTML. Mentions and links to channels in it stay text. */
export function requireDescription(given: string, realm: Realm, externalUrl: string): Description {
  const description = toStorableText(given.replace(/\r\n?|\n/g, ' '))
  if (Array.from(description).length > MAX_DESCRIPTION_LENGTH) throw descriptionTooLong()
  const scope = { ...emptyScope, realmUrl: addressOf(realm.subdomain, externalUrl).url }
  return { description, renderedDescription: renderMarkdown(description, scope).html }
}
