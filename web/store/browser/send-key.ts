import { currentOrganization } from '../organization.ts'

const storageKey = () => `parley.send-key.${currentOrganization()?.user_id ?? 0}`

/** True if the user has answered or has sent a message by a key since the page was opened. */
let isKnown = false

/** Returns true if the user knows which key sends messages. */
export function wasSendKeyAsked(): boolean {
  try {
    return isKnown || localStorage.getItem(storageKey()) !== null
  } catch {
    return isKnown
  }
}

/** Notes that the user knows which key sends messages, so that nothing asks for it. */
export function noteSendKeyKnown(): void {
  if (wasSendKeyAsked()) return
  isKnown = true
  try {
    localStorage.setItem(storageKey(), 'known')
  } catch {
    // Without storage, the answer lasts as long as the page.
  }
}
