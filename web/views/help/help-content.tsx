import { Link } from '@tanstack/react-router'
import { createElement, type ReactNode } from 'react'
import type { HelpNode } from '../../help-pages.ts'
import { HelpPicture } from './help-picture.tsx'

/** The text of a help page. Emphasized text is shown as keys of the keyboard. */
export const HelpContent = ({ nodes }: { nodes: readonly HelpNode[] }): ReactNode => nodes.map(toElement)

function toElement(node: HelpNode, key: number): ReactNode {
  if (typeof node === 'string') return node
  const { tag, href, src, children } = node
  if (src !== undefined) return <HelpPicture key={key} name={src} text={children.join('')} />
  const inside = children.map(toElement)
  if (tag === 'em') return <kbd key={key}>{inside}</kbd>
  if (href === undefined) return createElement(tag, { key }, ...inside)
  return (
    <Link key={key} to="/help/$page" params={{ page: href }}>
      {inside}
    </Link>
  )
}
