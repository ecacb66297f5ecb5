import type { ReactNode } from 'react'
import { useChecklist } from '../../../store/browser/checklist.ts'
import { hasNewVersion } from '../../../store/browser/seen-version.ts'
import { lazyPart } from '../../../ui/lazy-part.tsx'

const ChecklistSteps = lazyPart(async () => (await import('./checklist-steps.tsx')).ChecklistSteps)
const WhatsNewNote = lazyPart(async () => (await import('../../help/whats-new-note.tsx')).WhatsNewNote)

/** The checklist of first steps for a new user until they dismiss it, and a note after the server was upgraded. */
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
