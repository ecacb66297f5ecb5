import { createAtom, useSelector } from '@tanstack/react-store'
import type { ReactNode } from 'react'
import { useNotificationAccess } from '../../browser/notifications.ts'
import { onOutgoingSettled } from '../../messages/send-outgoing.ts'
import { useOwnId } from '../../store/organization.ts'
import { lazyExtra } from '../../ui/lazy-part.tsx'

const keyOf = (userId: number) => `parley.notification-offer.${userId}`

/**
 * The state of the offer: `early` before the user's first message in this browser, `due` after it, and `dismissed`
 * after the user has answered the offer.
 */
type OfferState = 'early' | 'due' | 'dismissed'

const state = createAtom<OfferState>('early')

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

function setNotificationOffer(userId: number, next: 'due' | 'dismissed'): void {
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

const NotificationQuestion = lazyExtra(async () => (await import('./notification-question.tsx')).NotificationQuestion)

/** Offers desktop notifications once the user has sent a message, until they accept or decline. */
export function NotificationOffer(): ReactNode {
  const userId = useOwnId()
  const access = useNotificationAccess()
  const offer = useSelector(state)
  if (offer !== 'due' || access !== 'unasked') return null
  return <NotificationQuestion onAnswer={() => setNotificationOffer(userId, 'dismissed')} />
}
