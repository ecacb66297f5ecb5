import { createContext, type ReactNode, use } from 'react'

/** What stands before the title of every page, such as how much is not read. */
export const BeforeTitle = createContext('')

/** The title of the window. */
export function WindowTitle({ children }: { children: string }): ReactNode {
  return <title>{`${use(BeforeTitle)}${children}`}</title>
}
