import { useLocation } from '@tanstack/react-router'
import Menu from 'lucide-react/icons/menu'
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { loadPart } from '../../../store/load-part.ts'
import { useUnreadCounts } from '../../../store/unread-messages.ts'
import { Button } from '../../../ui/button.tsx'
import { CountPill } from './count-pill.tsx'
import './pane-drawer.css'

const Drawer = lazy(() => loadPart(() => import('./drawer.tsx')))

/** Where the pane has no room beside what one reads: the button that opens it. */
export function PaneDrawer(): ReactNode {
  const { href } = useLocation()
  const { all } = useUnreadCounts()
  const [isOpen, open] = useState(false)
  useEffect(() => open(false), [href])
  return (
    <div className="pane-drawer">
      <Button icon={<Menu className="icon" aria-hidden="true" />} onPress={() => open(true)}>
        Conversations
        <CountPill count={all} />
      </Button>
      {isOpen && (
        <Suspense>
          <Drawer onClose={() => open(false)} />
        </Suspense>
      )}
    </div>
  )
}
