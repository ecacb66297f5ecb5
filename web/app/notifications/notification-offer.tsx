import { createAtom, useSelector } from '@tanstack/react-store'
import Bell from 'lucide-react/icons/bell'
import type { ReactNode } from 'react'
import { notificationAccess, requestNotificationAccess, useNotificationAccess } from '../../browser/notifications.ts'
import { onOutgoingSettled } from '../../messages/send-outgoing.ts'
import { useOwnId } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from './notification-offer.module.css'

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

/** Offers desktop notifications once the user has sent a message, until they accept or decline. */
export function NotificationOffer(): ReactNode {
  const userId = useOwnId()
  const access = useNotificationAccess()
  const offer = useSelector(state)
  if (offer !== 'due' || access !== 'unasked') return null

  async function turnOn() {
    await requestNotificationAccess()
    if (notificationAccess() === 'granted') showToast(t('Desktop notifications are on'))
    else if (notificationAccess() === 'denied')
      showToast(t('Notifications are blocked. Allow them from the address bar or in your browser’s settings.'))
    setNotificationOffer(userId, 'dismissed')
  }

  return (
    <section className={css.notificationOffer} aria-label={t('Desktop notifications')}>
      <Bell className="icon" aria-hidden="true" />
      <p>{t('Get notified about direct messages and mentions while Parley is in the background?')}</p>
      <Button kind="primary" onPress={() => void turnOn()}>
        {t('Turn on')}
      </Button>
      <Button kind="quiet" onPress={() => setNotificationOffer(userId, 'dismissed')}>
        {t('Not now')}
      </Button>
    </section>
  )
}
