import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Narrow } from '../../../store/messages/narrow.ts'
import { toLocation } from '../to-location.ts'
import './unsent.css'

/** A message that is not sent yet: where it is to go, which is null for the start page, and how it begins. */
export function UnsentRow(props: {
  id: string
  narrow: Narrow | null
  title: string
  text: string
  /** What else there is to know of it. */
  about?: ReactNode
  children: ReactNode
}): ReactNode {
  const { id, narrow, title, text, about, children } = props
  return (
    <li className="card unsent-row" data-unsent={id}>
      <Link {...(narrow === null ? { to: '/' } : toLocation(narrow))} className="unsent-link">
        <b>{title}</b>
        {about}
        <span className="unsent-text" dir="auto">
          {text}
        </span>
      </Link>
      <span className="unsent-tools">{children}</span>
    </li>
  )
}

/** Puts the focus beside a row that is about to go. */
export function focusNextRow(list: HTMLElement | null, id: string): void {
  const row = list?.querySelector(`[data-unsent="${CSS.escape(id)}"]`)
  const next = (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector('a')
  ;(next ?? list?.closest('main'))?.focus()
}
