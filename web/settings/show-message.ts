import { useNavigate } from '@tanstack/react-router'
import { fetchMessage } from '../messages/message-source.ts'
import { conversationOf } from '../messages/narrow.ts'
import { toLocation } from '../navigation/narrow-location.ts'
import { toAppError } from '../store/app-error.ts'
import { useOwnId } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/toasts.ts'

/**
 * Returns a function that goes to a message, whose conversation is fetched first. `onFound` closes what is above the page.
 * A toast reports a failure.
 */
export function useShowMessage(onFound?: () => void): (id: number) => Promise<void> {
  const navigate = useNavigate()
  const ownId = useOwnId()
  return async (id) => {
    try {
      const { to, search } = toLocation(conversationOf(await fetchMessage(id), ownId), id)
      onFound?.()
      await navigate({ to, search })
    } catch (error) {
      showToast(t('Couldn’t open the message. {message}', { message: toAppError(error).message }), { kind: 'error' })
    }
  }
}
