import { changeLayout } from '../../store/browser/layout.ts'
import { focusIn } from '../shortcuts/pane-keys.ts'

/**
 * Collapses or expands the sidebar beside the page. Some parts of the sidebar are replaced, but the focus stays in it.
 */
export function collapseSidebar(collapsesSidebar: boolean): void {
  const sidebar = document.querySelector<HTMLElement>('#conversations')
  const hadFocus = sidebar?.contains(document.activeElement) === true
  changeLayout({ collapsesSidebar })
  if (!hadFocus) return
  // The new parts are rendered after this event.
  requestAnimationFrame(() => {
    if (document.activeElement !== document.body) return
    // The first element is the button of the organization menu, where shortcuts don't work.
    const search = sidebar.querySelector<HTMLElement>('.sidebar-search')
    if (search === null) focusIn(sidebar)
    else search.focus()
  })
}
