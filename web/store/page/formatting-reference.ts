import { createStore } from '../../ui/create-store.ts'

/** True while the formatting reference is open. */
export const formattingReference = createStore(false)
