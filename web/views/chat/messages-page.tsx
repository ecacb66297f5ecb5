import { useLocation } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { Narrow } from '../../store/messages/narrow.ts'
import { useOrganization } from '../../store/organization.ts'
import { PageHead } from '../../ui/layout/page.tsx'
import { TimelineView } from './timeline/timeline-view.tsx'
import { readNarrowSearch } from './to-location.ts'

/** The page of a narrow: its title, its messages and the compose box. */
export function MessagesPage(props: {
  narrow: Narrow
  title: string
  about?: ReactNode
  actions?: ReactNode
  empty: ReactNode
  /** Messages are not marked as read here. */
  isOnlyLookedAt?: boolean
  /** Opens at the newest message instead of the first unread one. */
  opensAtEnd?: boolean
  composer?: ReactNode
}): ReactNode {
  const { narrow, title, about, actions, empty, isOnlyLookedAt = false, opensAtEnd = false, composer } = props
  const { realm_name } = useOrganization()
  const { search, state } = useLocation()
  const { near } = readNarrowSearch(search as Record<string, unknown>)
  const step = state.__TSR_key ?? 'first'
  const [newestAt, openNewestAt] = useState<string | null>(null)
  const opening = newestAt === step || (opensAtEnd && near === undefined) ? 'newest' : (near ?? 'first_unread')
  return (
    <>
      <PageHead title={title} within={realm_name} actions={actions}>
        {about}
      </PageHead>
      <TimelineView
        key={`${JSON.stringify(narrow)} ${opening}`}
        narrow={narrow}
        opening={opening}
        onNewest={() => openNewestAt(step)}
        isOnlyLookedAt={isOnlyLookedAt}
        empty={empty}
      />
      {composer}
    </>
  )
}
