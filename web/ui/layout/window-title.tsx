import type { ReactNode } from 'react'
import { createStore } from '../create-store.ts'

/** The text before every window title, such as the unread count. */
export const beforeTitle = createStore('')

export function WindowTitle({ children }: { children: string }): ReactNode {
  return <title>{`${beforeTitle.use()}${children}`}</title>
}
