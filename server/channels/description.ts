import { escapeHtml } from '#lib/encoding/html.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { renderMarkdown } from '#markdown/render.ts'
import { emptyScope } from '#markdown/scope.ts'
import { type Realm, realmAddress } from '#realms/realm.ts'
import { toStorableText } from '#storage/storable-values.ts'

/** The maximum length of a description, in code points. */
export const MAX_DESCRIPTION_LENGTH = 1024

export const descriptionTooLong = refusal(
  'BAD_REQUEST',
  400,
  `description is too long (limit: ${MAX_DESCRIPTION_LENGTH} characters)`,
  { field: 'description' },
)

/**
 * The maximum length of the HTML, in UTF-16 units. A few characters, especially emoji, can produce a lot of HTML, which
 * is sent to everyone.
 */
const MAX_RENDERED_LENGTH = 6000

export type Description = { description: string; renderedDescription: string }

/** Returns the description as a request contains it. Refuses one that is too long. */
export function requireDescription(given: string, realm: Realm, externalUrl: string): Description {
  if (Array.from(oneLine(given)).length > MAX_DESCRIPTION_LENGTH) throw descriptionTooLong()
  return toDescription(given, realm, externalUrl)
}

/**
 * Returns the description on a single line, with its HTML. Mentions and channel links in it stay plain text. If the
 * HTML would be too long, the whole description stays plain text.
 */
export function toDescription(given: string, realm: Realm, externalUrl: string): Description {
  const description = oneLine(given)
  const scope = { ...emptyScope, realmUrls: [realmAddress(realm.subdomain, externalUrl).url] }
  const { html } = renderMarkdown(description, scope)
  const isShort = html.length <= MAX_RENDERED_LENGTH
  return { description, renderedDescription: isShort ? html : `<p>${escapeHtml(description.trim())}</p>` }
}

const oneLine = (given: string) => toStorableText(given.replace(/\r\n?|\n/g, ' '))
