import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { t } from '../text/t.ts'
import { useCopied } from '../ui/copy-button.tsx'
import './content-tool.css'

/**
 * A small button inside a message. Without text, it needs an `aria-label`. It is a plain element, because a
 * conversation has hundreds of such buttons.
 */
export function ContentTool({ className = '', ...props }: ButtonHTMLAttributes<HTMLButtonElement>): ReactNode {
  return <button type="button" {...props} className={`content-tool ${className}`} />
}

/** Copies text, and shows a confirmation for two seconds. */
export function CopyTool({ text, label }: { text: string; label: string }): ReactNode {
  const [isCopied, copy] = useCopied(text)
  const Icon = isCopied ? Check : Copy
  return (
    <>
      <ContentTool aria-label={label} onClick={copy}>
        <Icon className="icon" aria-hidden="true" />
      </ContentTool>
      <span className="visually-hidden" aria-live="polite">
        {isCopied ? t('Copied') : ''}
      </span>
    </>
  )
}
