import { createElement, Fragment, type ReactNode } from 'react'
import { formatOf } from './t.ts'

type RichValue = ReactNode | ((children: ReactNode) => ReactNode)

/**
 * Returns an interface string with elements in it. A tag in the message names the function that makes the element:
 * `rich('Read <link>the guide</link>.', { link: (text) => <a href={GUIDE}>{text}</a> })`.
 */
export function rich(message: string, values: Readonly<Record<string, RichValue>>): ReactNode {
  const parts = formatOf(message).format<ReactNode>(
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'function' ? tagged(value) : value]),
    ),
  )
  return Array.isArray(parts) ? createElement(Fragment, null, ...parts) : parts
}

const tagged = (make: (children: ReactNode) => ReactNode) => (parts: ReactNode[]) =>
  make(createElement(Fragment, null, ...parts))
