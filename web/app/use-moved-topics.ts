import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { moveDraft } from '../store/drafts/drafts.ts'
import { onTopicMoved } from '../store/messages/moved-topics.ts'
import { isSameTopic } from '../store/messages/narrow.ts'
import { topicTitle } from '../store/messages/topic-title.ts'
import { currentOrganization } from '../store/organization.ts'
import { t } from '../text/t.ts'
import { showToast } from '../ui/feedback/toasts.ts'
import { readNarrow } from '../views/chat/current-narrow.ts'
import { toLocation } from '../views/chat/to-location.ts'

/** Selectors of the compose box, and of all elements that navigation would interrupt while they have the focus. */
const WRITING = 'main form'
const BUSY = `${WRITING}, input, textarea, [role="dialog"], [role="alertdialog"]`

/**
 * Follows the current topic when it is moved or renamed. If navigation would interrupt the user, only shows the new
 * topic in a toast.
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
        if (document.activeElement?.closest(isOwn ? WRITING : BUSY) != null)
          return showToast(t('This conversation moved to {topic}', { topic: topicTitle(to.topic) }))
        moveDraft(currentOrganization()?.user_id ?? 0, from, to)
        void router.navigate({ ...toLocation(to), replace: true })
      }),
    [router],
  )
}
