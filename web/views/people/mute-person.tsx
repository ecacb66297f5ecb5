import { useMutation } from '@tanstack/react-query'
import BellOff from 'lucide-react/icons/bell-off'
import type { ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { toAppError } from '../../store/app-error.ts'
import type { Person } from '../../store/organization.ts'
import { useMutedIds } from '../../store/people/muted.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'

/** Mutes or unmutes a user, without notifying anyone. */
export function MutePerson({ person: { user_id, full_name } }: { person: Person }): ReactNode {
  const isMuted = useMutedIds().has(user_id)
  const { mutate, isPending } = useMutation({
    mutationFn: (mutes: boolean) =>
      call(mutes ? 'POST /users/me/muted_users/{muted_user_id}' : 'DELETE /users/me/muted_users/{muted_user_id}', {
        muted_user_id: user_id,
      }),
    onSuccess: (_, mutes) =>
      showToast(
        mutes
          ? t('You muted {name}. They won’t be notified.', { name: full_name })
          : t('You unmuted {name}', { name: full_name }),
      ),
    onError: (error) => showToast(toAppError(error).message, { kind: 'error' }),
  })
  return (
    <Button
      kind="quiet"
      icon={<BellOff className="icon" aria-hidden="true" />}
      isPending={isPending}
      onPress={() => mutate(!isMuted)}
    >
      {isMuted ? t('Unmute user') : t('Mute user')}
    </Button>
  )
}
