import type { ReactNode } from 'react'
import * as css from './page-states.module.css'
import { WindowTitle } from './titles.tsx'

/** A placeholder for content that is loading. It has `lines` bars, and a label for screen readers. */
export function Loading({ label, lines = 3 }: { label: string; lines?: number }): ReactNode {
  return (
    <div className={css.loading} role="status">
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} className={css.loadingBar} aria-hidden="true" />
      ))}
    </div>
  )
}

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
    <div className={css.empty}>
      <div className={isDrawing ? css.emptyDrawing : css.emptyIcon} aria-hidden="true">
        {icon}
      </div>
      {isPage && <WindowTitle>{title}</WindowTitle>}
      <Title className={css.emptyTitle}>{title}</Title>
      <div className={css.emptyText}>{children}</div>
    </div>
  )
}

/** A drawing for an empty state, in the colors of the theme. */
function Drawing({ children }: { children: ReactNode }): ReactNode {
  return (
    <svg className={css.drawing} viewBox="0 0 120 80" fill="none" aria-hidden="true">
      {children}
    </svg>
  )
}

/** An empty tray under a rising sun. */
export const TrayDrawing = (): ReactNode => (
  <Drawing>
    <circle cx="60" cy="34" r="17" className={css.drawingSoft} />
    <path d="M60 8v-4M38 17l-3-3M82 17l3-3M30 36h-5M95 36h-5" className={css.drawingLine} />
    <path d="M24 44h22l4 8h20l4-8h22l-6 26a4 4 0 0 1-4 3H34a4 4 0 0 1-4-3z" className={css.drawingBody} />
    <path d="m53 34 5 5 9-10" className={css.drawingLine} />
  </Drawing>
)

/** Two speech bubbles. */
export const TalkDrawing = (): ReactNode => (
  <Drawing>
    <path
      d="M70 22h30a6 6 0 0 1 6 6v20a6 6 0 0 1-6 6h-4v8l-9-8H70a6 6 0 0 1-6-6V28a6 6 0 0 1 6-6z"
      className={css.drawingSoft}
    />
    <path
      d="M20 10h44a6 6 0 0 1 6 6v24a6 6 0 0 1-6 6H40l-11 10V46h-9a6 6 0 0 1-6-6V16a6 6 0 0 1 6-6z"
      className={css.drawingBody}
    />
    <path d="M26 23h32M26 33h20" className={css.drawingLine} />
  </Drawing>
)
