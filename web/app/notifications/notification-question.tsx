import Bell from 'lucide-react/icons/bell'
import type { ReactNode } from 'react'
import { notificationAccess, requestNotificationAccess } from '../../browser/notifications.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { showToast } from '../../ui/toasts.ts'
import * as css from './notification-question.module.css'

/** Asks whether to turn on desktop notifications. `onAnswer` is called after the user has accepted or declined. */
export function NotificationQuestion({ onAnswer }: { onAnswer: () => void }): ReactNode {
  async function turnOn() {
    await requestNotificationAccess()
    if (notificationAccess() === 'granted') showToast(t('Desktop notifications are on'))
    else if (notificationAccess() === 'denied')
      showToast(t('Notifications are blocked. Allow them from the address bar or in your browser’s settings.'))
    onAnswer()
  }

  return (
    <section className={css.notificationQuestion} aria-label={t('Desktop notifications')}>
      <Bell className="icon" aria-hidden="true" />
      <p>{t('Get notified about direct messages and mentions while Parley is in the background?')}</p>
      <Button kind="primary" onPress={() => void turnOn()}>
        {t('Turn on')}
      </Button>
      <Button kind="quiet" onPress={onAnswer}>
        {t('Not now')}
      </Button>
    </section>
  )
}
