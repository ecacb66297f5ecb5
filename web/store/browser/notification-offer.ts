import { createStore } from '../../ui/create-store.ts'
import { onOutgoingSettled } from '../outgoing/send-outgoing.ts'

const keyOf = (userId: number) => `parley.notification-offer.${userId}`

/**
 * The state of the offer: `early` before the user's first message in this browser, `due` after it, and `dismissed`
 * after the user has answered the offer.
 */
type OfferState = 'early' | 'due' | 'dismissed'

const state = createStore<OfferState>('early')

export const useNotificationOffer = state.use

/**
 * Reads the state of the offer, and offers notifications once the user has sent a message. Returns a function that
 * stops this.
 */
export function startNotificationOffer(userId: number): () => void {
  state.set(read(userId))
  return onOutgoingSettled(({ failure }) => {
    if (failure === null && state.get() === 'early') setNotificationOffer(userId, 'due')
  })
}

export function setNotificationOffer(userId: number, next: 'due' | 'dismissed'): void {
  state.set(next)
  try {
    localStorage.setItem(keyOf(userId), next)
  } catch {
    // Without storage, the state lasts as long as the page.
  }
}

function read(userId: number): OfferState {
  try {
    const known = localStorage.getItem(keyOf(userId))
    return known === 'due' || known === 'dismissed' ? known : 'early'
  } catch {
    return 'early'
  }
}
