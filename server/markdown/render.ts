import type { Token } from 'markdown-it'
import { blocksToHtml } from './blocks/blocks-to-html.ts'
import { envOf, newContext } from './context.ts'
import { dialect } from './dialect.ts'
import { PLACEHOLDERS } from './inline/marks.ts'
import { joinMarkup } from './markup.ts'
import { MOST_LINKS } from './previews.ts'
import type { Rendering, RenderScope } from './scope.ts'

/** Goes up whenever the same text would come out differently, so that what is stored can be rendered anew. */
export const RENDERER_VERSION = 2

/**
 * A message as clients show it. The HTML holds elements, attributes and addresses from fixed lists only, whatever the text,
 * and takes time in proportion to it.
 */
export function renderMarkdown(text: string, scope: RenderScope): Rendering {
  const context = newContext(scope)
  const tokens: Token[] = []
  dialect.block.parse(normalize(text), dialect, envOf(context), tokens)
  const html = joinMarkup(blocksToHtml(tokens, context), ...context.latePreviews).trimEnd()
  if (context.linkedUrls.size > MOST_LINKS) return renderMarkdown(text, { ...scope, previewsMedia: false })
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
