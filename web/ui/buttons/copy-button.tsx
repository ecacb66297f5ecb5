import Check from 'lucide-react/icons/check'
import Copy from 'lucide-react/icons/copy'
import type { ReactNode } from 'react'
import { t } from '../../text/t.ts'
import { Button, type ButtonProps } from './button.tsx'
import { useCopied } from './use-copied.ts'

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
