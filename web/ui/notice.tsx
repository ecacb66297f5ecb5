import CircleAlert from 'lucide-react/icons/circle-alert'
import CircleCheck from 'lucide-react/icons/circle-check'
import Info from 'lucide-react/icons/info'
import TriangleAlert from 'lucide-react/icons/triangle-alert'
import type { ReactNode } from 'react'
import { t } from '../text/t.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import * as css from './notice.module.css'

const ICONS = { info: Info, good: CircleCheck, warn: TriangleAlert, danger: CircleAlert }

/** A notice in the page. If `isUrgent`, screen readers announce it immediately. */
export function Notice(props: {
  kind?: keyof typeof ICONS
  title?: string
  isUrgent?: boolean
  children?: ReactNode
}): ReactNode {
  const { kind = 'info', title, isUrgent = false, children } = props
  const Icon = ICONS[kind]
  return (
    <div className={css.notice} data-kind={kind} role={isUrgent ? 'alert' : undefined}>
      <Icon className="icon" aria-hidden="true" />
      <div className={css.noticeText}>
        {title !== undefined && <p className={css.noticeTitle}>{title}</p>}
        {children}
      </div>
    </div>
  )
}

/** An error in the form that the interface shows. */
export type AppError = {
  message: string
  /** The server's error code. */
  code: string
  /** A report for administrators, without secrets. */
  report: string
}

/** Shows an error: the server's message, and details with its code and a report to copy. */
export function ErrorNotice(props: {
  error: AppError
  title?: string
  /** `warn` if only a part failed. */
  kind?: 'danger' | 'warn'
  onRetry?: (() => void) | undefined
  /** The label of the button that calls `onRetry`. */
  retry?: string
  children?: ReactNode
}): ReactNode {
  const { error, title, kind = 'danger', onRetry, retry = t('Try again'), children } = props
  return (
    <Notice kind={kind} isUrgent {...(title !== undefined && { title })}>
      <p>{error.message}</p>
      {children}
      <details className={css.errorDetails}>
        <summary>{t('Details')}</summary>
        <pre>{error.report}</pre>
        <CopyButton text={error.report}>{t('Copy report')}</CopyButton>
      </details>
      {onRetry && (
        <div>
          <Button onPress={onRetry}>{retry}</Button>
        </div>
      )}
    </Notice>
  )
}
