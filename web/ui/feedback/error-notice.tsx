import type { ReactNode } from 'react'
import { Button } from '../buttons/button.tsx'
import { CopyButton } from '../buttons/copy-button.tsx'
import './error-notice.css'
import { t } from '../../text/t.ts'
import { Notice } from './notice.tsx'

/** What went wrong, as the interface shows it. */
export type AppError = {
  message: string
  /** The server's code for it. */
  code: string
  /** What may be given to whoever looks into it; holds no secrets. */
  report: string
}

/** What went wrong: the server's own words, its code among the details, and a report to pass on. */
export function ErrorNotice(props: {
  trouble: AppError
  title?: string
  /** `warn` where the rest went well. */
  kind?: 'danger' | 'warn'
  onRetry?: (() => void) | undefined
  /** The label of the button that calls `onRetry`. */
  retry?: string
  children?: ReactNode
}): ReactNode {
  const { trouble: error, title, kind = 'danger', onRetry, retry = t('Try again'), children } = props
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
