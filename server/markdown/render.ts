import { textToTree } from './blocks/text-to-tree.ts'
import { childrenToHtml } from './blocks/tree-to-html.ts'
import { newContext } from './context.ts'
import { PLACEHOLDERS } from './inline/inline.ts'
import { joinMarkup } from './markup.ts'
import { MAX_LINKS } from './previews.ts'
import type { Rendering, RenderScope } from './scope.ts'

// Renders a message as the reference server does, in time that is linear in its length. Whatever the text is, the
// HTML contains only elements, attributes and addresses from fixed lists. Names come from the scope of the caller, so
// this module needs no database.

/** Incremented whenever the same text would be rendered differently, so that stored messages are rendered again. */
export const RENDERER_VERSION = 4

/**
 * Renders a message as clients display it. For any text, the HTML contains elements, attributes and addresses from
 * fixed lists only, and rendering takes linear time.
 */
export function renderMarkdown(text: string, scope: RenderScope): Rendering {
  const context = newContext(scope)
  const { children } = textToTree(normalize(text), scope.codeLanguage)
  const html = joinMarkup(childrenToHtml(children, context), ...context.latePreviews, ...context.linkPreviews).trim()
  if (context.linkedUrls.size > MAX_LINKS)
    return renderMarkdown(text, { ...scope, previewsMedia: false, linkPreviews: null })
  return {
    html,
    mentionedUserIds: [...context.userIds],
    mentionedGroupIds: [...context.groupIds],
    mentionsChannel: context.mentionsChannel,
    mentionsTopic: context.mentionsTopic,
    previewableUrls: context.previewableUrls,
  }
}

function normalize(text: string): string {
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD').replace(PLACEHOLDERS, '')
}

/** Returns whether the message describes the sender in the third person. The HTML keeps the `/me`. */
export function isMeMessage(content: string): boolean {
  return content.startsWith('/me ')
}
