import { createStore } from '../../ui/create-store.ts'

/** True while the quick switcher is open. */
export const switcher = createStore(false)
