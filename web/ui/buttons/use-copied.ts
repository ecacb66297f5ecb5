import { useEffect, useState } from 'react'
import { t } from '../../text/t.ts'
import { showToast } from '../feedback/toasts.ts'

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
