import { Link } from '@tanstack/react-router'
import Paperclip from 'lucide-react/icons/paperclip'
import type { MouseEvent, ReactNode } from 'react'
import type { Narrow } from '../../../store/messages/narrow.ts'
import { splitAttachments } from '../../composer/uploads/attachments.ts'
import { toLocation } from '../to-location.ts'
import './unsent.css'

/** An unsent message with its destination and the beginning of its text. It links to `narrow`, or to the page that starts messages. */
export function UnsentRow(props: {
  id: string
  narrow: Narrow | null
  /** A message to show in the narrow. */
  near?: number
  /** Called before the page opens. `isElsewhere` is true if it opens in another tab or window. */
  onOpen?: (isElsewhere: boolean) => void
  title: string
  text: string
  about?: ReactNode
  children: ReactNode
}): ReactNode {
  const { id, narrow, near, onOpen, title, text, about, children } = props
  const { body, attachments } = splitAttachments(text)
  return (
    <li className="card unsent-row" data-unsent={id}>
      <Link
        {...(narrow === null ? { to: '/dm' } : toLocation(narrow, near))}
        className="unsent-link"
        onClick={(event) => onOpen?.(hasModifier(event))}
      >
        <b>{title}</b>
        {about}
        <span className="unsent-text" dir="auto">
          {body}
        </span>
        {attachments.length > 0 && (
          <span className="unsent-files small soft">
            <Paperclip className="icon" aria-hidden="true" />
            {attachments.map((one) => one.name).join(', ')}
          </span>
        )}
      </Link>
      <span className="unsent-tools">{children}</span>
    </li>
  )
}

const hasModifier = ({ ctrlKey, metaKey, shiftKey, altKey }: MouseEvent) => ctrlKey || metaKey || shiftKey || altKey

/**
 * Moves the focus from a row that is about to be removed to the row after it, or else to the row before it or to the
 * page.
 */
export function focusNextRow(list: HTMLElement | null, id: string): void {
  const row = list?.querySelector(`[data-unsent="${CSS.escape(id)}"]`)
  const next = (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector('a')
  ;(next ?? list?.closest('main'))?.focus()
}
