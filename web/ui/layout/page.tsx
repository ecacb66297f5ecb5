import type { ReactNode } from 'react'
import { WindowTitle } from './window-title.tsx'
import './page.css'

/** The head of a page: its title, its description and its actions. The title is also the title of the window. */
export function PageHead(props: {
  title: string
  /** The text after the title in the window title, such as the organization's name. */
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
