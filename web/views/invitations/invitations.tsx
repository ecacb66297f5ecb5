import type { ReactNode } from 'react'
export function Invitations(): ReactNode {
  return null
}
