import type { RenderContext } from '../context.ts'
import { inlineToHtml } from '../inline/inline.ts'
import { element, joinMarkup, type Markup, nothing } from '../markup.ts'
import {
  isMediaAddress,
  type LinkPreview,
  linkPreviewElement,
  MAX_LINK_PREVIEWS,
  openedAddress,
  previewOf,
  type ShownLink,
  youtubePreviewOf,
} from '../previews.ts'

/**
 * Returns the preview of a website if the message may show it. If the preview is unknown, adds the address to
 * `previewableUrls`.
 */
function findLinkPreview(url: string, context: RenderContext): LinkPreview | null {
  const { scope, linkPreviews, previewableUrls, spoilers } = context
  const hasRoom = linkPreviews.length + previewableUrls.length < MAX_LINK_PREVIEWS
  // A preview would reveal the content of a spoiler.
  if (scope.linkPreviews === null || spoilers > 0 || !hasRoom || !isPreviewable(url)) return null
  const preview = scope.linkPreviews.get(url)
  if (preview === undefined) previewableUrls.push(url)
  return preview ?? null
}

const isPreviewable = (url: string) => /^https?:\/\//i.test(url) && URL.canParse(url) && !isMediaAddress(url)

/**
 * Renders a paragraph and the end of its line. The previews of its links follow, unless an earlier link has the same
 * address.
 */
export function paragraphToHtml(text: string, end: Markup, context: RenderContext): Markup {
  const { html, previews, isPicture } = withPreviews(text, context)
  return joinMarkup(isPicture ? nothing : joinMarkup(element('p', {}, html), end), ...previews)
}

/** Like `paragraphToHtml`, for the text of a list item that is not a paragraph. */
export function itemTextToHtml(text: string, context: RenderContext): Markup {
  const { html, previews, isPicture } = withPreviews(text, context)
  return joinMarkup(isPicture ? nothing : html, ...previews)
}

/**
 * Renders text and the previews of its links. `isPicture` is true if the text is only the address of media; the preview
 * then replaces the text.
 */
function withPreviews(text: string, context: RenderContext): { html: Markup; previews: Markup[]; isPicture: boolean } {
  context.shownLinks = []
  const html = inlineToHtml(text, context)
  const previews = takePreviews(context)
  const [link] = context.shownLinks
  const isPicture =
    previews.length === 1 && link?.text === link?.url && text.trim() === link?.url && isMediaAddress(link.url)
  return { html, previews, isPicture }
}

/** Renders text outside paragraphs, such as a table cell. The previews of its links go to the end of the message. */
export function inlineWithLaterPreviews(text: string, context: RenderContext): Markup {
  context.shownLinks = []
  const html = inlineToHtml(text, context)
  context.latePreviews.push(...takePreviews(context))
  return html
}

/**
 * Returns the previews of media in `shownLinks`, at most one for each address. Quotes show no previews, because the
 * original message shows them.
 */
function takePreviews(context: RenderContext): Markup[] {
  const { previewsMedia, linkPreviews } = context.scope
  if (context.quotes > 0 || !(previewsMedia || linkPreviews !== null)) return []
  return context.shownLinks.flatMap((link) => {
    if (context.linkedUrls.has(link.url)) return []
    context.linkedUrls.add(link.url)
    return takePreview(link, context) ?? []
  })
}

/** Returns the preview of media that follows the text. Adds other previews to the end of the message. */
function takePreview(link: ShownLink, context: RenderContext): Markup | null {
  const { scope, linkPreviews } = context
  const url = openedAddress(link.url)
  const media = scope.previewsMedia ? previewOf(link, scope) : null
  if (media !== null) return media
  const known = findLinkPreview(url, context)
  const video = scope.previewsMedia ? youtubePreviewOf(link, known?.title ?? null, scope.externalContentKey) : null
  if (video === null && known !== null) linkPreviews.push(linkPreviewElement(url, known, scope.externalContentKey))
  return video
}
