import { useRouter } from '@tanstack/react-router'
import Pencil from 'lucide-react/icons/pencil'
import { type ReactNode, useEffect } from 'react'
import { EDIT_PREFIX } from '../browser/compose-requests.ts'
import { cancelUploads } from '../composer/uploads.ts'
import { saveDraft } from '../messages/drafts.ts'
import { freeFurtherKey } from '../messages/further-drafts.ts'
import type { Message } from '../messages/message.ts'
import { onMessagesDeleted } from '../messages/message-announcements.ts'
import { findMessage } from '../messages/messages.ts'
import { conversationOf } from '../messages/narrow.ts'
import { useOwnId } from '../store/organization.ts'
import { discardStored, readStored, useIsStored } from '../store/stored-state.ts'
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

/** Returns the text of an unsaved edit; null if there is none. */
export const unsavedText = (ownId: number, messageId: number): string | null =>
  readStored<{ text: string | null }>(ownId, editName(messageId)).text ?? null

/** Keeps the unsaved edits of messages that are deleted as drafts of their conversations, and says so. */
export function useEditsOfDeletedMessages(): void {
  const router = useRouter()
  const ownId = useOwnId()
  useEffect(
    () =>
      onMessagesDeleted((ids) => {
        const kept = [...ids].filter((id) => keepAsDraft(ownId, findMessage(id)))
        if (kept.length === 0) return
        const { href } = router.buildLocation({ to: '/drafts' })
        const open = () => void router.navigate({ to: '/drafts' })
        showToast(t('The message you were editing was deleted. Your text is kept as a draft.'), {
          link: { text: t('View draft'), href, open },
        })
      }),
    [router, ownId],
  )
}

/** Returns false if the message has no unsaved edit. */
function keepAsDraft(ownId: number, message: Message | undefined): boolean {
  const text = message && unsavedText(ownId, message.id)
  if (message === undefined || !text?.trim()) return false
  const conversation = conversationOf(message, ownId)
  const recipients =
    conversation.kind === 'direct'
      ? { people: conversation.people }
      : { channelId: conversation.channelId, topic: conversation.topic }
  cancelUploads(editName(message.id))
  saveDraft(freeFurtherKey(ownId, {}), { text, ...recipients })
  discardStored(ownId, editName(message.id))
  return true
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
