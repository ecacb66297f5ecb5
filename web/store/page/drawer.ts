import { createStore } from '../../ui/create-store.ts'

/** The pane that stands over the page, where there is no room for it beside. */
export const drawer = createStore<'conversations' | 'people' | null>(null)
