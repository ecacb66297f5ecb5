import type { ReactNode } from 'react'
import { Button } from '../buttons/button.tsx'
import { CopyButton } from '../buttons/copy-button.tsx'
import './error-notice.css'
import { t } from '../../text/t.ts'
import { Notice } from './notice.tsx'

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
      <details className="error-details">
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
