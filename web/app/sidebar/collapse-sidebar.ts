import { changeLayout } from '../../store/browser/layout.ts'
import { focusIn } from '../shortcuts/pane-keys.ts'

/** Collapses or expands the sidebar beside the page. The focus stays in it, though some of its parts are replaced. */
export function collapseSidebar(collapsesSidebar: boolean): void {
  const sidebar = document.querySelector<HTMLElement>('#conversations')
  const hadFocus = sidebar?.contains(document.activeElement) === true
  changeLayout({ collapsesSidebar })
  if (!hadFocus) return
  // The new parts are rendered after the event.
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return
    // Shortcuts don't work in the organization menu's button, which is the first one.
    const search = sidebar.querySelector<HTMLElement>('.sidebar-search')
    if (search === null) focusIn(sidebar)
    else search.focus()
  })
}
