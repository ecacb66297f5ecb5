import type { ReactNode } from 'react'
import type { Count } from '../../../store/messages/unread.ts'
import './count-pill.css'
import { t } from '../../../text/t.ts'

/** An unread count; nothing if it is 0. A count stands out if it includes mentions or `isLoud` is true. */
export function CountPill(props: { count: Count | undefined; isQuiet?: boolean; isLoud?: boolean }): ReactNode {
  const { count, isQuiet = false, isLoud = false } = props
  if (count === undefined || count.messages === 0) return null
  const shown = count.messages > 999 ? '999+' : count.messages
  const look = isLoud || count.mentions > 0 ? ' count-pill-loud' : isQuiet ? ' count-pill-quiet' : ''
  return (
    <span className={`count-pill${look}`}>
      <span aria-hidden="true">{count.mentions > 0 && !isLoud ? `@ ${shown}` : shown}</span>
      <span className="visually-hidden">
        {count.mentions > 0 ? t('mentions you, {shown} unread', { shown }) : t('{shown} unread', { shown })}
      </span>
    </span>
  )
}
