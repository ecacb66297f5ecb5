import type { ReactNode } from 'react'
import { useChecklist } from '../../../store/browser/checklist.ts'
import { hasNewVersion } from '../../../store/browser/seen-version.ts'
import { lazyPart } from '../../../ui/lazy-part.tsx'

const ChecklistSteps = lazyPart(async () => (await import('./checklist-steps.tsx')).ChecklistSteps)
const WhatsNewNote = lazyPart(async () => (await import('../../help/whats-new-note.tsx')).WhatsNewNote)

/** The first steps of a new user, until they are dismissed, and a note after an upgrade. */
export function Checklist(): ReactNode {
  const isShown = useChecklist() === 'shown'
  const isUpgraded = hasNewVersion.use()
  return (
    <>
      {isUpgraded && <WhatsNewNote version={import.meta.env['PARLEY_VERSION']} onClose={nothing} />}
      {isShown && <ChecklistSteps onClose={nothing} />}
    </>
  )
}

const nothing = () => {}
