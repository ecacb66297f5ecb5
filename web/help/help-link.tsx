import { Link } from '@tanstack/react-router'
import CircleQuestionMark from 'lucide-react/icons/circle-question-mark'
import X from 'lucide-react/icons/x'
import type { ReactNode } from 'react'
import { dismissVersion } from '../browser/first-steps.ts'
import { t } from '../text/t.ts'
import { IconButton } from '../ui/button.tsx'
import * as css from './help-link.module.css'
import * as whatsNewNoteCss from './whats-new-note.module.css'

/** A small link to a help page; nothing if `page` is undefined. `about` names the subject of the page. */
export function HelpLink(props: { page: string | undefined; about: string; onLeave?: () => void }): ReactNode {
  const { page, about, onLeave } = props
  if (page === undefined) return null
  const label = t('Help: {about}', { about })
  return (
    <Link
      to="/help/$page"
      params={{ page }}
      className={css.helpLink}
      aria-label={label}
      title={label}
      {...(onLeave && { onClick: onLeave })}
    >
      <CircleQuestionMark className="icon" aria-hidden="true" />
    </Link>
  )
}

/** Tells the user once that the server was upgraded. */
export function WhatsNewNote({ version, onClose }: { version: string; onClose: () => void }): ReactNode {
  const dismiss = () => {
    dismissVersion(version)
    onClose()
  }
  return (
    <section className={whatsNewNoteCss.whatsNew} aria-label={t('New version')}>
      <p>
        {t('Parley has been updated to version {version}.', { version })}{' '}
        <Link to="/help/$page" params={{ page: 'whats-new' }} onClick={dismiss}>
          {t('See what’s new')}
        </Link>
      </p>
      <IconButton label={t('Dismiss')} icon={X} onPress={dismiss} />
    </section>
  )
}
