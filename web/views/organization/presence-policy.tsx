import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { SavedCheck } from './saved-fields.tsx'

/** The setting that shows or hides everyone's availability. */
export function PresencePolicy(): ReactNode {
  return (
    <section className="settings-group" aria-label={t('Availability')}>
      <SavedCheck name="presence_disabled" hint={t('If off, each person can still hide their own availability.')}>
        {t('Hide everyone’s availability')}
      </SavedCheck>
    </section>
  )
}
