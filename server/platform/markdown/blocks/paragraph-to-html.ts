import type { RenderContext } from '../context.ts'
import { inlineToHtml } from '../inline/inline.ts'
import { element, joinMarkup, type Markup, nothing } from '../markup.ts'
import { previewOf } from '../previews.ts'

/** A paragraph with what ends its line, and below it the images and videos that it is the first to link to. */
export function paragraphToHtml(text: string, end: Markup, context: RenderContext): Markup {
  const { html, previews, isPicture } = withPreviews(text, context)
  return joinMarkup(isPicture ? nothing : joinMarkup(element('p', {}, html), end), ...previews)
}

/** As `paragraphToHtml`, for text that is no paragraph of its own, in a list that is written closely. */
export function itemTextToHtml(text: string, context: RenderContext): Markup {
  const { html, previews, isPicture } = withPreviews(text, context)
  return joinMarkup(isPicture ? nothing : html, ...previews)
}

/** Of the bare address of a picture nothing but the picture is shown. */
function withPreviews(text: string, context: RenderContext): { html: Markup; previews: Markup[]; isPicture: boolean } {
  context.shownLinks = []
  const html = inlineToHtml(text, context)
  const previews = takePreviews(context)
  const [link] = context.shownLinks
  const isPicture = previews.length === 1 && link?.text === link?.url && text.trim() === link?.url
  return { html, previews, isPicture }
}

/** The media below text that no paragraph holds, such as that of tables, stand at the end of the message. */
export function inlineWithLaterPreviews(text: string, context: RenderContext): Markup {
  context.shownLinks = []
  const html = inlineToHtml(text, context)
  context.latePreviews.push(...takePreviews(context))
  return html
}

/** Each address once; what is quoted was shown where it was written. */
function takePreviews(context: RenderContext): Markup[] {
  if (context.quotes > 0 || !context.scope.previewsMedia) return []
  return context.shownLinks.flatMap((link) => {
    if (context.linkedUrls.has(link.url)) return []
    context.linkedUrls.add(link.url)
    return previewOf(link, context.scope.images) ?? []
  })
}
