import type { HelpNode, HelpPage } from '../../help-pages.ts'
import { plainName } from '../../ui/text/rank.ts'

/** Returns the text of a node and its children, without formatting. */
const textOf = (node: HelpNode): string => (typeof node === 'string' ? node : node.children.map(textOf).join(''))

/**
 * Returns the names of the pages that contain all typed words in any order. Pages with one of the words in the title
 * come first.
 */
export function findPages(pages: ReadonlyMap<string, HelpPage>, typed: string): string[] {
  const words = plainName(typed).split(/\s+/).filter(Boolean)
  const found = [...pages].flatMap(([name, { title, summary, body }]) => {
    const head = plainName(title)
    const text = plainName([title, summary, ...body.map(textOf)].join(' '))
    const count = words.filter((word) => head.includes(word)).length
    return words.every((word) => text.includes(word)) ? [{ name, count }] : []
  })
  return found.sort((one, other) => other.count - one.count).map(({ name }) => name)
}
