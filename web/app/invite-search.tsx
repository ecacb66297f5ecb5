import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'

const InviteDialog = lazy(async () => ({ default: (await import('../views/invite/invite-dialog.tsx')).InviteDialog }))

/** The dialog that invites, over whatever page, while the address asks for it. */
export function InviteSearch(): ReactNode {
  const { invite } = useSearch({ from: '__root__' })
  const navigate = useNavigate()
  const go = (tab: 'email' | 'link' | undefined) =>
    void navigate({ to: '.', search: (search: object) => ({ ...search, invite: tab }), replace: tab !== undefined })
  if (invite === undefined) return null
  return (
    <Suspense fallback={null}>
      <InviteDialog tab={invite} onTab={go} onClose={() => go(undefined)} />
    </Suspense>
  )
}
