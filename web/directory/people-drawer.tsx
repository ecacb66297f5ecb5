import type { ReactNode } from 'react'
import { t } from '../text/t.ts'
import { Dialog } from '../ui/dialog.tsx'
import PeopleHere from './people-here.tsx'

/** The people pane as a drawer. */
// biome-ignore lint/style/noDefaultExport: React's lazy reads it so
export default function PeopleDrawer({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title={t('People')} isOpen size="end" onClose={onClose}>
      <aside className="dialog-body" aria-label={t('People')}>
        <PeopleHere />
      </aside>
    </Dialog>
  )
}
