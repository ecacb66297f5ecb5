import { createAtom, useSelector } from '@tanstack/react-store'
import type { ReactNode } from 'react'
import './titles.css'

/** The text before every window title, such as the unread count. */
export const beforeTitle = createAtom('')

export function WindowTitle({ children }: { children: string }): ReactNode {
  return <title>{`${useSelector(beforeTitle)}${children}`}</title>
}

/** The title of a section of a page, with its description and its actions. */
export function PageHead(props: { title: string; children?: ReactNode; actions?: ReactNode }): ReactNode {
  const { title, children, actions } = props
  return (
    <div className="page-head">
      <div className="page-head-text">
        <h1>{title}</h1>
        {children}
      </div>
      {actions !== undefined && <div className="row">{actions}</div>}
    </div>
  )
}
