import type { ReactNode } from 'react'
export function InviteDialog(_: {
  tab: 'email' | 'link'
  onTab: (tab: 'email' | 'link') => void
  onClose: () => void
}): ReactNode {
  return null
}
