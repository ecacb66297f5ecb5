import ArrowDown from 'lucide-react/icons/arrow-down'
import type { ReactNode } from 'react'
import type { Timeline } from '../../../store/messages/timeline.ts'
import { t } from '../../../text/t.ts'
import { Button } from '../../../ui/buttons/button.tsx'

/** A button that scrolls to the newest messages and shows how many have arrived below. */
export function JumpToLatest(props: {
  timeline: Timeline
  isAtEnd: boolean
  /** The id of the message that was the newest when the user was last at the end. */
  seenEndId: number
  onPress: () => void
}): ReactNode {
  const { timeline, isAtEnd, seenEndId, onPress } = props
  if (isAtEnd && timeline.hasNewest) return null
  const count = timeline.hasNewest ? timeline.messages.filter(({ id }) => id > seenEndId).length : 0
  return (
    <div className="end-button">
      <Button icon={<ArrowDown className="icon" aria-hidden="true" />} onPress={onPress}>
        {count > 0 ? t('{count, plural, one {# new message} other {# new messages}}', { count }) : t('Jump to latest')}
      </Button>
    </div>
  )
}
