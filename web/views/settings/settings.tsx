import type { ReactNode } from 'react'
export function Settings(): ReactNode {
  return null
}
