import { textToTree } from './blocks/text-to-tree.ts'
import { childrenToHtml } from './blocks/tree-to-html.ts'
import { newContext } from './context.ts'
import { PLACEHOLDERS } from './inline/marks.ts'
import { joinMarkup } from './markup.ts'
import { MAX_LINKS } from './previews.ts'
import type { Rendering, RenderScope } from './scope.ts'

/** Goes up whenever the same text would come out differently, so that what is stored can be rendered anew. */
export const RENDERER_VERSION = 4

/**
 * A message as clients show it. The HTML holds elements, attributes and addresses from fixed lists only, whatever the text,
 * and takes time in proportion to it.
 */
export function renderMarkdown(text: string, scope: RenderScope): Rendering {
  const context = newContext(scope)
  const { children } = textToTree(normalize(text), scope.codeLanguage)
  const html = joinMarkup(childrenToHtml(children, context), ...context.latePreviews).trim()
  if (context.linkedUrls.size > MAX_LINKS) return renderMarkdown(text, { ...scope, previewsMedia: false })
  return {
    html,
    mentionedUserIds: [...context.userIds],
    mentionedGroupIds: [...context.groupIds],
    mentionsChannel: context.mentionsChannel,
    mentionsTopic: context.mentionsTopic,
  }
}

function normalize(text: string): string {
  return text.replace(/\r\n?/g, '\n').replaceAll('\0', '\uFFFD').replace(PLACEHOLDERS, '')
}
