import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { onNotificationClick, showNotification } from '../../store/browser/desktop-notification.ts'
import { notificationAccess } from '../../store/browser/notification-access.ts'
import { playSound } from '../../store/browser/notification-sound.ts'
import { renewPushSubscription } from '../../store/browser/push.ts'
import { onMessageArrived } from '../../store/messages/arrived-messages.ts'
import type { Message } from '../../store/messages/message.ts'
import { conversationOf } from '../../store/messages/narrow.ts'
import { currentOrganization, useOrganization } from '../../store/organization.ts'
import { toLocation } from '../../views/chat/to-location.ts'
import { isOnlyPage } from './is-only-page.ts'
import { notificationIcon } from './notification-icon.ts'
import { notificationText } from './notification-text.ts'
import { wantsNotification } from './wants-notification.ts'

/**
 * Notifies the user of messages while no window has the focus. Depending on the settings, shows a desktop notification,
 * plays a sound, or both. Does nothing while the user has paused notifications.
 */
export function useNotifications(): void {
  const router = useRouter()
  const { user_id: ownId } = useOrganization()
  // After a failure, the next page tries again.
  useEffect(() => void renewPushSubscription(ownId).catch(() => {}), [ownId])
  useEffect(() => {
    const open = (path: string) => {
      window.focus()
      // Unlike a new history entry, this shows the message again if its page is already open.
      void router.navigate({ href: path })
    }
    const pathOf = (message: Message, ownId: number) =>
      router.buildLocation(toLocation(conversationOf(message, ownId), message.id)).href
    const stopListening = onMessageArrived((message) => void notify(message, pathOf, open))
    const stopFollowing = onNotificationClick(open)
    return () => {
      stopListening()
      stopFollowing()
    }
  }, [router])
}

type PathOf = (message: Message, ownId: number) => string
type Open = (path: string) => void

async function notify(message: Message, pathOf: PathOf, open: Open): Promise<void> {
  const organization = currentOrganization()
  if (organization === undefined) return
  const { user_settings, user_id: ownId } = organization
  const isAudible = wantsNotification('audible', message, organization)
  const isShown = wantsNotification('desktop', message, organization) && notificationAccess() === 'granted'
  if (user_settings.do_not_disturb_until > Date.now() / 1000 || (!isAudible && !isShown)) return
  if (!(await isOnlyPage(message.id))) return
  // A browser without sound still shows the notification.
  if (isAudible) playSound(user_settings.notification_sound).catch(() => {})
  if (!isShown) return
  const hidesDirect = !user_settings.pm_content_in_desktop_notifications
  const { title, body } = notificationText(message, { ownId, hidesDirect })
  const { sender_id: id, sender_full_name: name, avatar_url } = message
  const icon = notificationIcon({ id, name, url: avatar_url ?? null })
  await showNotification({ title, body, tag: `message ${message.id}`, icon, path: pathOf(message, ownId) }, open)
}
