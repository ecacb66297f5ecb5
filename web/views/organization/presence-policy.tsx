import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { SavedCheck } from './saved-fields.tsx'

/** Whether anybody's presence is shown. */
export function PresencePolicy(): ReactNode {
  return (
    <section className="card settings-card" aria-label={t('Availability')}>
      <SavedCheck
        name="presence_disabled"
        hint={t('While it is shown, each person decides whether others see their own.')}
      >
        {t("Nobody's availability is shown to anybody")}
      </SavedCheck>
    </section>
  )
}
