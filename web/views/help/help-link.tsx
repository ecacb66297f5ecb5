import { Link } from '@tanstack/react-router'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import './help-link.css'

/** A small link to a help page; nothing if `page` is undefined. `about` names the subject of the page. */
export function HelpLink(props: { page: string | undefined; about: string; onLeave?: () => void }): ReactNode {
  const { page, about, onLeave } = props
  if (page === undefined) return null
  const label = t('Help: {about}', { about })
  return (
    <Link
      to="/help/$page"
      params={{ page }}
      className="help-link"
      aria-label={label}
      title={label}
      {...(onLeave && { onClick: onLeave })}
    >
      <CircleQuestionMark className="icon" aria-hidden="true" />
    </Link>
  )
}
