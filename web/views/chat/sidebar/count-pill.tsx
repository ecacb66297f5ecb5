import type { ReactNode } from 'react'
import type { Count } from '../../../store/messages/unread.ts'
import './count-pill.css'
import { t } from '../../../text/t.ts'

/**
 * An unread count; nothing if it is 0. If messages mention the user, the pill stands out and counts only those messages.
 * With `isLoud`, it stands out and counts all messages. A count with `isDot` is a dot for everyone but screen readers.
 */
export function CountPill(props: {
  count: (Count & { isDot?: true }) | undefined
  isQuiet?: boolean
  isLoud?: boolean
}): ReactNode {
  const { count, isQuiet = false, isLoud = false } = props
  if (count === undefined || count.messages === 0) return null
  const unread = count.messages > 999 ? '999+' : count.messages
  const mentions = isLoud ? 0 : count.mentions
  const look = isLoud || mentions > 0 ? ' count-pill-loud' : isQuiet ? ' count-pill-quiet' : ''
  if (count.isDot)
    return (
      <span className="count-dot">
        <span className="visually-hidden">{t('{unread} unread', { unread })}</span>
      </span>
    )
  return (
    <span className={`count-pill${look}`}>
      <span aria-hidden="true">{mentions > 0 ? `@${mentions}` : unread}</span>
      <span className="visually-hidden">
        {count.mentions > 0
          ? t('{mentions, plural, one {# mention} other {# mentions}} of you, {unread} unread', {
              mentions: count.mentions,
              unread,
            })
          : t('{unread} unread', { unread })}
      </span>
    </span>
  )
}
