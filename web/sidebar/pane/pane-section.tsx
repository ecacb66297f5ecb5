import ChevronRight from 'lucide-react/icons/chevron-right'
import { type ReactNode, useId } from 'react'
import { Button } from 'react-aria-components/Button'
import { setFolded, useLayout } from '../../browser/layout.ts'
import * as css from './conversation-pane.module.css'

/** A section of the sidebar that can be folded. This browser remembers the sections that the user folds and unfolds. */
export function PaneSection(props: {
  /** The name under which the browser remembers the section. */
  id: string
  title: string
  /** True if the section is folded until the user unfolds it. */
  startsFolded?: boolean
  /** True while the user filters the sidebar, so that all matches are shown. */
  isForcedOpen?: boolean
  actions?: ReactNode
  children: ReactNode
}): ReactNode {
  const { id, title, startsFolded = false, isForcedOpen = false, actions, children } = props
  const { folded } = useLayout()
  const isFolded = !isForcedOpen && (folded[id] ?? startsFolded)
  const content = useId()
  return (
    <section>
      <div className={css.paneHead}>
        <h2 className={css.paneTitle}>
          <Button
            className={css.paneFold}
            aria-expanded={!isFolded}
            aria-controls={content}
            onPress={() => setFolded(id, !isFolded)}
          >
            {title}
            <ChevronRight className="icon flips" aria-hidden="true" />
          </Button>
        </h2>
        {actions}
      </div>
      <div id={content} hidden={isFolded}>
        {!isFolded && children}
      </div>
    </section>
  )
}
