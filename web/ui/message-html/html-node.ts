import type { HtmlElement, HtmlNode } from './parse-html.ts'

export const isElement = (node: HtmlNode | undefined): node is HtmlElement =>
  node !== undefined && typeof node !== 'string'

export const classesOf = ({ attributes }: HtmlElement): readonly string[] => attributes.get('class')?.split(/\s+/) ?? []

export const hasClass = (node: HtmlNode | undefined, name: string): node is HtmlElement =>
  isElement(node) && classesOf(node).includes(name)

export const textOf = (node: HtmlNode): string => (typeof node === 'string' ? node : node.children.map(textOf).join(''))

export const isBlank = (node: HtmlNode): boolean => typeof node === 'string' && node.trim() === ''

/** Matches a text whose first letter belongs to a script from right to left, such as Hebrew or Arabic. */
const RIGHT_TO_LEFT = /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u

/** Returns the direction of the element's text. */
export const directionOf = (node: HtmlElement): 'ltr' | 'rtl' => (RIGHT_TO_LEFT.test(textOf(node)) ? 'rtl' : 'ltr')

/** Returns the first descendant that `matches` accepts, in the order of the text. */
export function findInside(node: HtmlElement, matches: (node: HtmlElement) => boolean): HtmlElement | undefined {
  for (const child of node.children) {
    if (!isElement(child)) continue
    const found = matches(child) ? child : findInside(child, matches)
    if (found !== undefined) return found
  }
  return undefined
}
