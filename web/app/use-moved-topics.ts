import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { moveDraft, readDraft, topicDraftKey } from '../store/drafts/drafts.ts'
import { onTopicMoved } from '../store/messages/moved-topics.ts'
import { type ConversationRef, isSameTopic } from '../store/messages/narrow.ts'
import { topicTitle } from '../store/messages/topic-title.ts'
import { currentOrganization } from '../store/organization.ts'
import { noteComposeFocus, requestComposeOnNextPage } from '../store/page/compose-request.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/feedback/toasts.ts'
import { readNarrow } from '../views/chat/current-narrow.ts'
import { toLocation } from '../views/chat/to-location.ts'
import { moveComposer } from '../views/composer/moved-composer.ts'
import { moveUploadsToDraft } from '../views/composer/use-draft.ts'

/** Selectors of forms on the page, and of all elements that navigation would interrupt while they have the focus. */
const WRITING = 'main form'
const BUSY = `${WRITING}, input, textarea, [role="dialog"], [role="alertdialog"]`

/**
 * Follows the current topic when it is moved or renamed. The compose box follows with its text and the focus, and a
 * toast names the new topic. If navigation would interrupt the user in another way, only shows the toast.
 */
export function useMovedTopics(): void {
  const router = useRouter()
  useEffect(
    () =>
      onTopicMoved((from, to, isOwn) => {
        // The page may still be opening, for example because the same topic has just moved to it.
        const { pathname, search } = router.latestLocation
        const narrow = readNarrow(pathname, search)
        if (narrow?.kind !== 'topic' || narrow.channelId !== from.channelId || !isSameTopic(narrow.topic, from.topic))
          return
        const focused = document.activeElement
        const isWriting = focused?.closest('.composer') != null && canTakeComposer(to)
        const isBusy = focused?.closest(isOwn ? WRITING : BUSY) != null
        if (isBusy) showToast(t('This conversation moved to {topic}', { topic: topicTitle(to.topic) }))
        if (isBusy && !isWriting) return
        if (isWriting && from.channelId === to.channelId) {
          moveComposer(from, to)
          noteComposeFocus()
        } else {
          const ownId = currentOrganization()?.user_id ?? 0
          if (moveDraft(ownId, from, to))
            moveUploadsToDraft(topicDraftKey(ownId, from.channelId, from.topic), to, ownId)
          // The page of another channel has a new compose box.
          if (isWriting) requestComposeOnNextPage({ text: '', conversation: to })
        }
        void router.navigate({ ...toLocation(to), replace: true })
      }),
    [router],
  )
}

/** Returns true if the user may have a compose box in the topic, and has no draft there that the text would replace. */
function canTakeComposer({ channelId, topic }: Extract<ConversationRef, { kind: 'topic' }>): boolean {
  const organization = currentOrganization()
  if (!organization?.subscriptions.some(({ stream_id }) => stream_id === channelId)) return false
  return !readDraft(topicDraftKey(organization.user_id, channelId, topic)).text
}
