import type { HtmlNode } from '../parse-html.ts'

/**
 * Returns the nodes of each line. Every line except the last ends with its line break, even inside highlighted tokens.
 */
export function linesOf(nodes: readonly HtmlNode[]): HtmlNode[][] {
  const lines = splitLines(nodes)
  // Code ends with a line break. No line follows it.
  if (lines.length > 1 && lines.at(-1)!.length === 0) lines.pop()
  return lines
}

function splitLines(nodes: readonly HtmlNode[]): HtmlNode[][] {
  const lines: HtmlNode[][] = [[]]
  for (const node of nodes) {
    const [first = [], ...further] = partsOf(node)
    lines.at(-1)!.push(...first)
    for (const part of further) lines.push([...part])
  }
  return lines
}

/** Divides a node into one part for each line that the node spans. */
function partsOf(node: HtmlNode): HtmlNode[][] {
  if (typeof node !== 'string') {
    return splitLines(node.children).map((children) => (children.length === 0 ? [] : [{ ...node, children }]))
  }
  const parts: HtmlNode[][] = node.split(/(?<=\n)/).map((part) => [part])
  return node.endsWith('\n') ? [...parts, []] : parts
}
