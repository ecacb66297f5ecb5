import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../api/call.ts'
import { toAppError } from '../store/app-error.ts'
import { useOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { showToast } from '../ui/toasts.ts'
import { mayJoin } from './channel.ts'
import type { ListedChannel } from './listing.ts'

const LeaveDialog = lazyPart(async () => (await import('./leave-dialog.tsx')).LeaveDialog)

const join = (name: string) => call('POST /users/me/subscriptions', { subscriptions: [{ name }] })
const leave = (name: string) => call('DELETE /users/me/subscriptions', { subscriptions: [name] })

const showError = (text: string) => showToast(text, { kind: 'error' })

const showJoinError = (name: string, error: unknown) =>
  showError(t('Couldn’t join #{name}. {message}', { name, message: toAppError(error).message }))

/** The button to join or leave a channel; nothing if the user may do neither. Asks before leaving a private channel. */
export function JoinLeave(props: { known: ListedChannel; kind?: 'primary' | 'quiet'; onAct?: () => void }): ReactNode {
  const { known, kind = 'plain', onAct } = props
  const { channel, subscription } = known
  const { name } = channel
  const organization = useOrganization()
  const [isAsking, ask] = useState(false)
  const joining = useMutation({
    mutationFn: () => join(name),
    onSuccess: () => showToast(t('You joined #{name}', { name })),
    onError: (error) => showJoinError(name, error),
  })
  const pending = useMutation({
    mutationFn: () => leave(name),
    onSuccess() {
      ask(false)
      showToast(
        t('You left #{name}', { name }),
        mayJoin(organization, channel) ? { undo: () => void rejoin(name) } : {},
      )
    },
    onError: (error) => showError(t('Couldn’t leave #{name}. {message}', { name, message: toAppError(error).message })),
  })
  const isIn = subscription !== null
  if (!isIn && !mayJoin(organization, channel)) return null

  function action() {
    if (isIn && (channel.invite_only || organization.is_guest)) return ask(true)
    onAct?.()
    if (isIn) pending.mutate()
    else joining.mutate()
  }

  function confirmLeave() {
    onAct?.()
    pending.mutate()
  }

  return (
    <>
      <Button
        kind={kind}
        aria-label={isIn ? t('Leave {name}', { name }) : t('Join {name}', { name })}
        isPending={joining.isPending || pending.isPending}
        onPress={action}
      >
        {isIn ? t('Leave') : t('Join')}
      </Button>
      {isAsking && (
        <LeaveDialog
          channel={channel}
          isPending={pending.isPending}
          onLeave={confirmLeave}
          onClose={() => ask(false)}
        />
      )}
    </>
  )
}

const rejoin = (name: string) => join(name).catch((error) => showJoinError(name, error))
