import { useNavigate, useSearch } from '@tanstack/react-router'
import { type ComponentProps, type ComponentType, type ReactNode, useEffect, useState } from 'react'
import type { InviteDialog } from '../invitations/invite-dialog.tsx'
import { toAppError } from '../store/app-error.ts'
import { t } from '../text/t.ts'
import { loadPart } from '../ui/load-part.ts'
import { Loading } from '../ui/page-states.tsx'
import { showToast } from '../ui/toasts.ts'
import * as css from './invite-search.module.css'

type Dialog = ComponentType<ComponentProps<typeof InviteDialog>>

export const loadInviteDialog = (): Promise<Dialog> =>
  loadPart(async () => (await import('../invitations/invite-dialog.tsx')).InviteDialog)

/** Shows the invite dialog over any page while the URL requests it. */
export function InviteSearch(): ReactNode {
  const { invite } = useSearch({ from: '__root__' })
  const navigate = useNavigate()
  const [Dialog, setDialog] = useState<Dialog | null>(null)
  const isMissing = invite !== undefined && Dialog === null
  const go = (tab: 'email' | 'link' | undefined) =>
    void navigate({
      to: '.',
      search: (search: object) => ({ ...search, invite: tab }),
      replace: tab !== undefined,
      resetScroll: false,
    })
  useEffect(() => {
    if (!isMissing) return
    loadInviteDialog().then(
      (loaded) => setDialog(() => loaded),
      (error: unknown) => {
        showToast(toAppError(error).message, { kind: 'error' })
        go(undefined)
      },
    )
  }, [isMissing])

  if (invite === undefined) return null
  if (Dialog !== null) return <Dialog tab={invite} onTab={go} onClose={() => go(undefined)} />
  return (
    <div className={`card ${css.opening}`}>
      <Loading label={t('Opening dialog')} />
    </div>
  )
}
