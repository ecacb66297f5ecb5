import type { ReactNode } from 'react'
import type { Count } from '../../../store/messages/unread.ts'
import './count-pill.css'
import { t } from '../../../text/t.ts'

/** An unread count, with a mark for mentions; nothing if all is read. */
export function CountPill({ count, isQuiet = false }: { count: Count | undefined; isQuiet?: boolean }): ReactNode {
  if (count === undefined || count.messages === 0) return null
  const shown = count.messages > 999 ? '999+' : count.messages
  return (
    <span className={isQuiet ? 'count-pill count-pill-quiet' : 'count-pill'}>
      <span aria-hidden="true">{count.mentions > 0 ? `@ ${shown}` : shown}</span>
      <span className="visually-hidden">
        {count.mentions > 0 ? t('mentions you, {shown} unread', { shown }) : t('{shown} unread', { shown })}
      </span>
    </span>
  )
}
