import { useNavigate } from '@tanstack/react-router'
import type { Narrow } from '../../store/messages/narrow.ts'
import { requestCompose, requestComposeOnNextPage } from '../../store/page/compose-request.ts'
import { useMedia } from '../../ui/layout/use-media.ts'
import { TOUCH } from '../../ui/layout/widths.ts'
import { useCurrentNarrow } from '../../views/chat/current-narrow.ts'
import { toLocation } from '../../views/chat/to-location.ts'

/**
 * Returns a function that opens the page of a narrow. Users who choose people want to write to them, so the compose box
 * of direct messages gets the focus, except on touch screens, whose keyboard would hide the messages.
 */
export function useOpenNarrow(): (narrow: Narrow) => void {
  const navigate = useNavigate()
  const current = useCurrentNarrow()
  const isTouch = useMedia(TOUCH)
  return (narrow) => {
    if (narrow.kind === 'direct' && !isTouch) {
      const request = { text: '', isFocusOnly: true, conversation: narrow }
      if (JSON.stringify(narrow) === JSON.stringify(current)) return void requestCompose(request)
      requestComposeOnNextPage(request)
    }
    void navigate(toLocation(narrow))
  }
}
