import Pencil from 'lucide-react/icons/pencil'
import type { ReactNode } from 'react'
import { EDIT_PREFIX } from '../browser/compose-requests.ts'
import { cancelUploads } from '../composer/uploads.ts'
import type { Message } from '../messages/message.ts'
import { useOwnId } from '../store/organization.ts'
import { discardStored, useIsStored } from '../store/stored-state.ts'
import { t } from '../text/t.ts'
import { Button } from '../ui/button.tsx'
import { showToast } from '../ui/toasts.ts'
import * as css from './message/message-tools.module.css'

/** The name under which the edit of a message is stored, and the key of its uploads. */
export const editName = (messageId: number): string => `${EDIT_PREFIX}${messageId}`

/** Discards the unsaved edit of a message. A toast offers to undo this. */
export function discardEdit(ownId: number, messageId: number): void {
  const name = editName(messageId)
  cancelUploads(name)
  showToast(t('Edit discarded'), { undo: discardStored(ownId, name) })
}

/**
 * Marks a message with an edit that is not saved. Offers to continue or to discard it. `onDiscarded` moves the focus,
 * since the focused button disappears.
 */
export function UnsavedEdit(props: { message: Message; onContinue: () => void; onDiscarded: () => void }): ReactNode {
  const { message, onContinue, onDiscarded } = props
  const ownId = useOwnId()
  const isStored = useIsStored(ownId, editName(message.id))
  if (!isStored || message.sender_id !== ownId) return null

  function discard() {
    discardEdit(ownId, message.id)
    onDiscarded()
  }

  return (
    <p className={css.messageUnsaved}>
      <Pencil className="icon" aria-hidden="true" />
      <span>{t('Unsaved edit')}</span>
      <Button kind="quiet" onPress={onContinue}>
        {t('Continue editing')}
      </Button>
      <Button kind="quiet" onPress={discard}>
        {t('Discard')}
      </Button>
    </p>
  )
}
