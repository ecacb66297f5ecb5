import { createStore } from '../../ui/create-store.ts'

/** Whether the list of all commands stands over the page. */
export const palette = createStore(false)
