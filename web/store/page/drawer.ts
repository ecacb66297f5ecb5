import { cell } from '../cell.ts'

/** The pane that stands over the page, where there is no room for it beside. */
export const drawer = cell<'conversations' | 'people' | null>(null)
