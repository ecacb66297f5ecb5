import type { ReactNode } from 'react'
import { Keyboard } from 'react-aria-components/Keyboard'
import './shortcut-key.css'

/** A key. The style sheet draws it, and screen readers read its hidden name. */
export function ShortcutKey({ name }: { name: string }): ReactNode {
  return (
    <Keyboard className="menu-key" data-key={name}>
      <span className="visually-hidden">{name}</span>
    </Keyboard>
  )
}
