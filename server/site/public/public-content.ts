import type { Html } from '#lib/html.ts'

/**
 * Returns the HTML of a message for pages without scripts. The renderer of this server has made it, and escaped all text.
 * What the web client adds with scripts is replaced: emoji are characters, a spoiler opens when it has the focus, and
 * links to conversations lead to their pages.
 */
export function toPublicContent(renderedContent: string): Html {
  const content = renderedContent
    .replace(EMOJI, (_, codes: string, label: string) => emojiMarkup(toCharacters(codes), label))
    .replace(NARROW_LINK, (link, before: string, narrow: string) => {
      const path = conversationPath(narrow)
      return path === null ? link : `<a ${before}href="${path}"`
    })
    .replaceAll('<div class="spoiler-block">', '<div class="spoiler-block" tabindex="0">')
    .replaceAll('<div class="spoiler-content" aria-hidden="true">', '<div class="spoiler-content">')
    .replace(UNNAMED_IMAGE, '<img alt="" ')
    .replaceAll('<img ', '<img loading="lazy" ')
    .replaceAll('<table>', '<div class="table-box" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
  return { html: content }
}

/** The beginning of an image without text. It is in a link that has a title. */
const UNNAMED_IMAGE = /<img (?![^>]* alt=)(?!alt=)/g

const EMOJI = /<span aria-label="[^"]*" class="emoji emoji-([0-9a-f-]+)" role="img" title="([^"]*)">[^<]*<\/span>/g

const emojiMarkup = (characters: string, label: string) =>
  `<span aria-label="${label}" class="emoji" role="img" title="${label}">${characters}</span>`

/** Returns the characters of an emoji by its code, such as `1f1e9-1f1ea`. */
export const toCharacters = (codes: string): string =>
  String.fromCodePoint(
    ...codes
      .split('-')
      .map((code) => Number.parseInt(code, 16))
      .filter((code) => code <= 0x10ffff),
  )

/** A link to a conversation, in the form of all clients of the API. */
const NARROW_LINK = /<a ([^>]*)href="\/?#narrow\/([^"]*)"/g

/** Returns the address of the conversation; null if the link does not lead to a channel. */
function conversationPath(narrow: string): string | null {
  const terms = new Map(Array.from(narrow.matchAll(/([\w-]+)\/([^/]*)(?:\/|$)/g), ([, name, value]) => [name, value]))
  const id = /^\d+/.exec(terms.get('channel') ?? terms.get('stream') ?? '')?.[0]
  if (id === undefined) return null
  const search = new URLSearchParams()
  const topic = decodeTerm(terms.get('topic') ?? terms.get('subject'))
  if (topic !== undefined) search.set('topic', topic)
  for (const name of ['near', 'with']) {
    const message = /^\d+$/.exec(terms.get(name) ?? '')?.[0]
    if (message !== undefined) search.set(name, message)
  }
  // The result contains no character that has a meaning in HTML besides the ampersand.
  return `/channels/${id}${search.size === 0 ? '' : `?${search}`}`.replaceAll('&', '&amp;')
}

/** Decodes a part of the fragment, in which a dot takes the place of the percent sign. */
function decodeTerm(term: string | undefined): string | undefined {
  if (term === undefined) return undefined
  try {
    return decodeURIComponent(term.replaceAll('.', '%'))
  } catch {
    return undefined
  }
}

const TAG = /<[^>]*>/g

/** Returns the first words of a message as text whose entities are still escaped. */
export function firstWords({ html }: Html, maxLength: number): Html {
  const words = html.replace(TAG, ' ').replace(/\s+/g, ' ').trim()
  if (words.length <= maxLength) return { html: words.replaceAll('"', '&quot;') }
  // A cut entity would be shown as it is.
  const cut = words
    .slice(0, maxLength)
    .replace(/&[^;]*$/, '')
    .replace(/\S*$/, '')
    .trim()
  return { html: `${cut.replaceAll('"', '&quot;')}…` }
}
