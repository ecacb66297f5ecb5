import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../../text/t.ts'
import { showToast } from '../feedback/toasts.ts'
import { Button, type ButtonProps } from './button.tsx'

/** Copies a text, and confirms it for two seconds. */
export function CopyButton({
  text,
  children = t('Copy'),
  ...props
}: { text: string; children?: string } & Omit<ButtonProps, 'children'>): ReactNode {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(setCopied, 2000, false)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      showToast(t('Your browser blocked copying. Select the text and copy it yourself.'), { kind: 'error' })
    }
  }

  const Icon = isCopied ? Check : Copy
  return (
    <Button {...props} icon={<Icon className="icon" aria-hidden="true" />} onPress={() => void copy()}>
      <span aria-live="polite">{isCopied ? t('Copied') : children}</span>
    </Button>
  )
}
