import { createStore } from '../../ui/create-store.ts'

/** True while the command palette is open. */
export const palette = createStore(false)
