import type { ReactNode } from 'react'
import { WindowTitle } from '../layout/window-title.tsx'
import './empty.css'

/** An empty state: what will appear here, or how to start. */
export function Empty(props: {
  icon: ReactNode
  title: string
  /** True if the empty state is the whole page. Its heading is then the title of the page. */
  isPage?: boolean
  /** True if the icon is a drawing, which needs no disc around it. */
  isDrawing?: boolean
  children?: ReactNode
}): ReactNode {
  const { icon, title, isPage = false, isDrawing = false, children } = props
  const Title = isPage ? 'h1' : 'h2'
  return (
    <div className="empty">
      <div className={isDrawing ? 'empty-drawing' : 'empty-icon'} aria-hidden="true">
        {icon}
      </div>
      {isPage && <WindowTitle>{title}</WindowTitle>}
      <Title className="empty-title">{title}</Title>
      <div className="empty-text">{children}</div>
    </div>
  )
}
