import type { RenderContext } from '../context.ts'
import { inlineToHtml } from '../inline/inline.ts'
import { element, joinMarkup, type Markup, newline, nothing } from '../markup.ts'
import { previewOf } from '../previews.ts'

/**
 * A paragraph, and below it the images and videos that it is the first to link to. Nothing but the picture is shown of
 * one that is the bare address of a picture. `isTight`: the text of a list item that stands close to its neighbours.
 */
export function paragraphToHtml(text: string, isTight: boolean, context: RenderContext): Markup {
  context.shownLinks = []
  const html = inlineToHtml(text, context)
  const previews = takePreviews(context)
  const [link] = context.shownLinks
  const isPicture = previews.length === 1 && link?.text === link?.url && text.trim() === link?.url
  const shown = isTight ? html : joinMarkup(element('p', {}, html), newline)
  return joinMarkup(isPicture ? nothing : shown, ...previews)
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
