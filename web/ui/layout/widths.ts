/** Windows with a single column and with the navigation at the bottom. */
export const PHONE = '(max-width: 45rem)'

/** Screens that are mainly used by touch. They have no pointer that could rest on an element. */
export const TOUCH = '(pointer: coarse)'

/** Windows where the sidebar fits beside the page. On narrower windows, the sidebar is a drawer. */
export const WITH_SIDEBAR = '(min-width: 60rem)'

/** Windows where a second pane fits beside the page, opposite the sidebar. */
export const WITH_RIGHT_PANE = '(min-width: 75rem)'
