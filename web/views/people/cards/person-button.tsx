import { type ReactNode, useState } from 'react'
import { PersonCard } from './cards.ts'
import './person-button.css'

/** A name or picture that opens the card of its user; a picture needs a `label`. */
export function PersonButton(props: { userId: number; label?: string; children: ReactNode }): ReactNode {
  const { userId, label, children } = props
  const [trigger, setTrigger] = useState<Element | null>(null)
  return (
    <>
      <button type="button" className="person-button" onClick={({ currentTarget }) => setTrigger(currentTarget)}>
        {label !== undefined && <span className="visually-hidden">{label}</span>}
        {children}
      </button>
      {trigger && <PersonCard userId={userId} trigger={trigger} onClose={() => setTrigger(null)} />}
    </>
  )
}
