import type { ReactNode } from 'react'
import { Keyboard } from 'react-aria-components/Keyboard'
import './shortcut-key.css'

/** A key, drawn by the style sheet: it is not a part of the name that what it belongs to has. */
export function ShortcutKey({ name }: { name: string }): ReactNode {
  return (
    <Keyboard className="menu-key" data-key={name}>
      <span className="visually-hidden">{name}</span>
    </Keyboard>
  )
}
