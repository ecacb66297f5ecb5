import Bell from 'lucide-react/icons/bell'
import type { ReactNode } from 'react'
import {
  notificationAccess,
  requestNotificationAccess,
  useNotificationAccess,
} from '../../store/browser/notification-access.ts'
import { setNotificationOffer, useNotificationOffer } from '../../store/browser/notification-offer.ts'
import { useOwnId } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import './notification-offer.css'

/** Offers desktop notifications once the user has sent a message, until they accept or decline. */
export function NotificationOffer(): ReactNode {
  const userId = useOwnId()
  const access = useNotificationAccess()
  const offer = useNotificationOffer()
  if (offer !== 'due' || access !== 'unasked') return null

  async function turnOn() {
    await requestNotificationAccess()
    if (notificationAccess() === 'granted') showToast(t('Desktop notifications are on'))
    else if (notificationAccess() === 'denied')
      showToast(t('Notifications are blocked. Allow them from the address bar or in your browser’s settings.'))
    setNotificationOffer(userId, 'dismissed')
  }

  return (
    <section className="notification-offer" aria-label={t('Desktop notifications')}>
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
