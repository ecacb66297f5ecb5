import { createStore } from '../../ui/create-store.ts'

/** The pane that is open over the page, on narrow windows. */
export const drawer = createStore<'conversations' | 'people' | null>(null)
