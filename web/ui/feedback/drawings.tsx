import type { ReactNode } from 'react'

/** A drawing for an empty state, in the colors of the theme. */
function Drawing({ children }: { children: ReactNode }): ReactNode {
  return (
    <svg className="drawing" viewBox="0 0 120 80" fill="none" aria-hidden="true">
      {children}
    </svg>
  )
}

/** An empty tray under a rising sun. */
export const TrayDrawing = (): ReactNode => (
  <Drawing>
    <circle cx="60" cy="34" r="17" className="drawing-soft" />
    <path d="M60 8v-4M38 17l-3-3M82 17l3-3M30 36h-5M95 36h-5" className="drawing-line" />
    <path d="M24 44h22l4 8h20l4-8h22l-6 26a4 4 0 0 1-4 3H34a4 4 0 0 1-4-3z" className="drawing-body" />
    <path d="m53 34 5 5 9-10" className="drawing-line" />
  </Drawing>
)

/** Two speech bubbles. */
export const TalkDrawing = (): ReactNode => (
  <Drawing>
    <path
      d="M70 22h30a6 6 0 0 1 6 6v20a6 6 0 0 1-6 6h-4v8l-9-8H70a6 6 0 0 1-6-6V28a6 6 0 0 1 6-6z"
      className="drawing-soft"
    />
    <path
      d="M20 10h44a6 6 0 0 1 6 6v24a6 6 0 0 1-6 6H40l-11 10V46h-9a6 6 0 0 1-6-6V16a6 6 0 0 1 6-6z"
      className="drawing-body"
    />
    <path d="M26 23h32M26 33h20" className="drawing-line" />
  </Drawing>
)
