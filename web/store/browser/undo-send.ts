import { createStore } from '../../ui/create-store.ts'
import { currentOrganization } from '../organization.ts'

/** The time within which sending a message can be undone, in milliseconds, if the user has turned that on. */
export const UNDO_SEND_TIME = 5000

const storageKey = () => `parley.undo-send.${currentOrganization()?.user_id ?? 0}`

/** The choice of the page's user; null until it is read. */
const choice = createStore<boolean | null>(null)

function read(): boolean {
  try {
    return localStorage.getItem(storageKey()) === 'on'
  } catch {
    return false
  }
}

/** Returns true if the user can undo sending a message in this browser. */
export const canUndoSend = (): boolean => choice.get() ?? read()

/** Returns the user's choice, and a function that changes it. */
export function useUndoSend(): [isOn: boolean, change: (isOn: boolean) => void] {
  return [choice.use() ?? read(), setUndoSend]
}

function setUndoSend(isOn: boolean): void {
  choice.set(isOn)
  try {
    if (isOn) localStorage.setItem(storageKey(), 'on')
    else localStorage.removeItem(storageKey())
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
}
