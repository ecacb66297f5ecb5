import { createStore } from '../create-store.ts'

/** True if emoji in messages, reactions and statuses are shown as their names, such as `:tada:`. */
export const showsEmojiNames = createStore(false)
