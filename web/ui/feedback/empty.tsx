import type { ReactNode } from 'react'
import { WindowTitle } from '../layout/window-title.tsx'
import './empty.css'

/** What stands where there is nothing yet, and what one can do about it. */
export function Empty(props: {
  icon: ReactNode
  title: string
  /** Where it is the whole page, its title is the page's. */
  isPage?: boolean
  children?: ReactNode
}): ReactNode {
  const { icon, title, isPage = false, children } = props
  const Title = isPage ? 'h1' : 'h2'
  return (
    <div className="empty">
      <div className="empty-icon" aria-hidden="true">
        {icon}
      </div>
      {isPage && <WindowTitle>{title}</WindowTitle>}
      <Title className="empty-title">{title}</Title>
      <div className="empty-text">{children}</div>
    </div>
  )
}
