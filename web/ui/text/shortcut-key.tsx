import type { ReactNode } from 'react'
import { Keyboard } from 'react-aria-components/Keyboard'
import './shortcut-key.css'

/** A key, drawn by CSS so that it is not part of the accessible name. */
export function ShortcutKey({ name }: { name: string }): ReactNode {
  return (
    <Keyboard className="menu-key" data-key={name}>
      <span className="visually-hidden">{name}</span>
    </Keyboard>
  )
}
