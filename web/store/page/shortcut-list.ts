import { createStore } from '../../ui/create-store.ts'

/** True while the list of keyboard shortcuts is open. */
export const shortcutList = createStore(false)
