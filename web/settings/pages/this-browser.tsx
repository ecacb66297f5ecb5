import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import Bell from 'lucide-react/icons/bell'
import type { ReactNode } from 'react'
import {
  playSound,
  requestNotificationAccess,
  showNotification,
  useNotificationAccess,
} from '../../browser/notifications.ts'
import * as css from '../../forms/settings.module.css'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { useOwnSettings } from '../../store/own-settings.ts'
import { canPush, pushState, subscribeToPush, unsubscribeFromPush } from '../../store/push.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { CheckboxField } from '../../ui/field.tsx'
import { type AppError, ErrorNotice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toasts.ts'

/** The state of notifications in this browser, with a button or instructions to turn them on. */
export function ThisBrowser(): ReactNode {
  const permission = useNotificationAccess()
  const { realm_push_notifications_enabled: reachesApp } = useOrganization('realm_push_notifications_enabled')
  const { mutate, isPending } = useMutation({ mutationFn: requestNotificationAccess })
  return (
    <section className={`${css.settingsGroup} ${css.settingsForm}`} aria-labelledby="this-browser">
      <h2 id="this-browser">{t('This browser')}</h2>
      <p role="status">{WORDS[permission]}</p>
      {permission === 'unasked' && (
        <div>
          <Button
            kind="primary"
            icon={<Bell className="icon" aria-hidden="true" />}
            isPending={isPending}
            onPress={() => mutate()}
          >
            {t('Turn on desktop notifications')}
          </Button>
        </div>
      )}
      {permission === 'granted' && <TestNotification />}
      {permission === 'granted' && (canPush() ? <WhileClosed /> : <p className="soft">{NO_PUSH}</p>)}
      <p className="soft">{reachesApp ? APP_REACHED : APP_NOT_REACHED}</p>
    </section>
  )
}

/** Shows a test notification, even if the page is visible. */
function TestNotification(): ReactNode {
  const [{ notification_sound: sound }] = useOwnSettings()
  const navigate = useNavigate()
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      // A browser without sound still shows the notification.
      void playSound(sound).catch(() => {})
      await showNotification(
        {
          title: t('Test notification'),
          body: t('Notifications work in this browser.'),
          tag: 'test',
          icon: null,
          path: '/settings/notifications',
        },
        (to) => void navigate({ to }),
      )
    },
    onSuccess: () => showToast(t('Test notification sent. If you don’t see it, check your computer’s settings.')),
    onError: () => showToast(t('Your browser didn’t show the notification.'), { kind: 'error' }),
  })
  return (
    <div>
      <Button icon={<Bell className="icon" aria-hidden="true" />} isPending={isPending} onPress={() => mutate()}>
        {t('Send a test notification')}
      </Button>
    </div>
  )
}

/** The setting for push notifications in this browser. */
function WhileClosed(): ReactNode {
  const { user_id } = useOrganization('user_id')
  const { data } = useQuery(pushState)
  const { mutate, isPending, error, variables } = useMutation({
    mutationFn: (isOn: boolean) => (isOn ? subscribeToPush(user_id) : unsubscribeFromPush()),
  })
  return (
    <>
      <CheckboxField
        isSelected={isPending ? variables : (data?.isOn ?? false)}
        isDisabled={isPending || data === undefined}
        onChange={(isOn) => mutate(isOn)}
      >
        {t('Also notify me while Parley is closed')}
      </CheckboxField>
      {error !== null && <ErrorNotice title={t('Couldn’t save the change')} error={toPushError(error)} />}
    </>
  )
}

/**
 * Returns the error to show. A message of the client replaces the browser's own message, because that does not help
 * users.
 */
const toPushError = (error: Error): AppError =>
  error instanceof DOMException ? { ...toAppError(error), message: NO_SERVICE } : toAppError(error)

const NO_SERVICE = t('Couldn’t turn on push notifications. Check your connection and your browser’s settings.')

const NO_PUSH = t(
  'This browser doesn’t support push notifications. On iPhone or iPad, add Parley to your home screen and open it from there.',
)

const APP_REACHED = t('The mobile app is notified, too, once you have logged in there.')

const APP_NOT_REACHED = t(
  'This server can’t notify the mobile app while it is closed. Turn on notifications in the browser of your phone instead.',
)

const WORDS = {
  granted: t('Desktop notifications are on.'),
  unasked: t('Desktop notifications are off.'),
  denied: t('Notifications are blocked. Allow them from the address bar or in your browser’s settings.'),
  insecure: t('Desktop notifications only work if the page’s address starts with https.'),
  none: t('This browser doesn’t support desktop notifications. You can still use sounds and email.'),
} as const
