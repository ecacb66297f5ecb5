import type { ReactNode } from 'react'
import { WindowTitle } from './window-title.tsx'
import './page.css'

/** The head of a page: its title, also that of the window, what it is for, and what can be done in it. */
export function PageHead(props: {
  title: string
  /** What stands after the title in the window's, such as the organization's name. */
  within: string
  children?: ReactNode
  actions?: ReactNode
}): ReactNode {
  const { title, within, children, actions } = props
  return (
    <div className="page-head">
      <WindowTitle>{`${title} · ${within}`}</WindowTitle>
      <div className="page-head-text">
        <h1>{title}</h1>
        {children}
      </div>
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
  )
}
