import { createContext, type ReactNode, use } from 'react'

/** The text before every window title, such as the unread count. */
export const BeforeTitle = createContext('')

/** The title of the window. */
export function WindowTitle({ children }: { children: string }): ReactNode {
  return <title>{`${use(BeforeTitle)}${children}`}</title>
}
