import type { ReactNode } from 'react'
import type { Count } from '../messages/unread.ts'
import './count-pill.css'
import { t } from '../text/t.ts'

/**
 * An unread count; nothing if it is 0. Messages that mention the user have a pill of their own, which stands out. With
 * `isLoud`, the count of all messages stands out. The number of a count with `isHidden` is only for screen readers:
 * others see the mentions or, without mentions, a dot.
 */
export function CountPill(props: {
  count: (Count & { isHidden?: true }) | undefined
  isQuiet?: boolean
  isLoud?: boolean
}): ReactNode {
  const { count, isQuiet = false, isLoud = false } = props
  if (count === undefined || count.messages === 0) return null
  const unread = count.messages > 999 ? '999+' : count.messages
  const mentions = isLoud ? 0 : count.mentions
  if (count.isHidden && mentions === 0)
    return (
      <span className="count-dot">
        <span className="visually-hidden">{t('{unread} unread', { unread })}</span>
      </span>
    )
  return (
    <span className="count-pills">
      {mentions < count.messages && !count.isHidden && (
        <span
          className={`count-pill${isLoud ? ' count-pill-loud' : isQuiet ? ' count-pill-quiet' : ''}`}
          aria-hidden="true"
        >
          {unread}
        </span>
      )}
      {mentions > 0 && (
        <span className="count-pill count-pill-loud" aria-hidden="true">
          @{mentions}
        </span>
      )}
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
