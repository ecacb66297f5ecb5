import type { ReactNode } from 'react'
export function Outbox(): ReactNode {
  return null
}
