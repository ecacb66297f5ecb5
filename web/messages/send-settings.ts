import { createAtom, useSelector } from '@tanstack/react-store'
import { currentOrganization } from '../store/organization.ts'

const sendKeyStorage = () => `parley.send-key.${currentOrganization()?.user_id ?? 0}`

/** True if the user has answered or has sent a message by a key since the page was opened. */
const isKnown = createAtom(false)

/** Returns true if the user knows which key sends messages. */
export function wasSendKeyAsked(): boolean {
  try {
    return isKnown.get() || localStorage.getItem(sendKeyStorage()) !== null
  } catch {
    return isKnown.get()
  }
}

/** Notes that the user knows which key sends messages, so that nothing asks for it. */
export function noteSendKeyKnown(): void {
  if (wasSendKeyAsked()) return
  isKnown.set(true)
  try {
    localStorage.setItem(sendKeyStorage(), 'known')
  } catch {
    // Without storage, the answer lasts as long as the page.
  }
}

/** The time within which sending a message can be undone, in milliseconds, if the user has turned that on. */
export const UNDO_SEND_TIME = 5000

const undoSendStorage = () => `parley.undo-send.${currentOrganization()?.user_id ?? 0}`

/** The choice of the page's user; null until it is read. */
const choice = createAtom<boolean | null>(null)

function read(): boolean {
  try {
    return localStorage.getItem(undoSendStorage()) === 'on'
  } catch {
    return false
  }
}

/** Returns true if the user can undo sending a message in this browser. */
export const canUndoSend = (): boolean => choice.get() ?? read()

/** Returns the user's choice, and a function that changes it. */
export function useUndoSend(): [isOn: boolean, change: (isOn: boolean) => void] {
  return [useSelector(choice) ?? read(), setUndoSend]
}

function setUndoSend(isOn: boolean): void {
  choice.set(isOn)
  try {
    if (isOn) localStorage.setItem(undoSendStorage(), 'on')
    else localStorage.removeItem(undoSendStorage())
  } catch {
    // Without storage, the choice lasts as long as the page.
  }
}
