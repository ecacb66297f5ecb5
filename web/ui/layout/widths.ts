/** One column, with the pages in a bar at the bottom. */
export const PHONE = '(max-width: 45rem)'

/** The sidebar fits beside the page; on narrower windows it is a drawer. */
export const WITH_SIDEBAR = '(min-width: 60rem)'

/** A pane fits on the other side of the page, too. */
export const WITH_RIGHT_PANE = '(min-width: 75rem)'
