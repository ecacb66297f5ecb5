import { type ReactNode, useState } from 'react'
import { lazyPart } from '../ui/lazy-part.tsx'
import * as css from './person-button.module.css'

/** The card of a user, beside the element that opened it. */
export const PersonCard = lazyPart(async () => (await import('./person-card.tsx')).PersonCard)

/** The card of a group, beside the element that opened it. */
export const GroupCard = lazyPart(async () => (await import('./group-card.tsx')).GroupCard)

/** A name or picture that opens the card of its user; a picture needs a `label`. */
export function PersonButton(props: { userId: number; label?: string; children: ReactNode }): ReactNode {
  const { userId, label, children } = props
  const [trigger, setTrigger] = useState<Element | null>(null)
  return (
    <>
      <button type="button" className={css.personButton} onClick={({ currentTarget }) => setTrigger(currentTarget)}>
        {label !== undefined && <span className="visually-hidden">{label}</span>}
        {children}
      </button>
      {trigger && <PersonCard userId={userId} trigger={trigger} onClose={() => setTrigger(null)} />}
    </>
  )
}
