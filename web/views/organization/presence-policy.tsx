import type { ReactNode } from 'react'
import { SavedCheck } from './saved-fields.tsx'

/** Whether anybody's presence is shown. */
export function PresencePolicy(): ReactNode {
  return (
    <section className="card settings-card" aria-label="Availability">
      <SavedCheck name="presence_disabled" hint="While it is shown, each person decides whether others see their own.">
        Nobody's availability is shown to anybody
      </SavedCheck>
    </section>
  )
}
