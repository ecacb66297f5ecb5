import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../text/t.ts'
import { Button, type ButtonProps } from './button.tsx'
import { showToast } from './toasts.ts'

/** Returns true in the two seconds after the text was copied, and a function that copies it. */
export function useCopied(text: string): [isCopied: boolean, copy: () => void] {
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

  return [isCopied, () => void copy()]
}

/** Copies text, and shows a confirmation for two seconds. */
export function CopyButton({
  text,
  children = t('Copy'),
  ...props
}: { text: string; children?: string } & Omit<ButtonProps, 'children'>): ReactNode {
  const [isCopied, copy] = useCopied(text)
  const Icon = isCopied ? Check : Copy
  return (
    <Button {...props} icon={<Icon className="icon" aria-hidden="true" />} onPress={copy}>
      <span aria-live="polite">{isCopied ? t('Copied') : children}</span>
    </Button>
  )
}
