import { hasClass, isBlank, isElement } from './html-node.ts'
import type { HtmlNode } from './parse-html.ts'

const MAX_BIG = 3

/** Returns true if a message is one paragraph of one to three emoji. Such emoji are shown big. */
export function isBigEmoji(nodes: readonly HtmlNode[]): boolean {
  const [paragraph, ...others] = nodes.filter((node) => !isBlank(node))
  if (!isElement(paragraph) || paragraph.tag !== 'p' || others.length > 0) return false
  const shown = paragraph.children.filter((node) => !isBlank(node))
  return shown.length > 0 && shown.length <= MAX_BIG && shown.every((node) => hasClass(node, 'emoji'))
}
