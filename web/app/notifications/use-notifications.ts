import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { notificationAccess, onNotificationClick, playSound, showNotification } from '../../browser/notifications.ts'
import type { Message } from '../../messages/message.ts'
import { onMessageArrived } from '../../messages/message-announcements.ts'
import { conversationOf } from '../../messages/narrow.ts'
import { toLocation } from '../../navigation/narrow-location.ts'
import { currentOrganization, useOrganization } from '../../store/organization.ts'
import { renewPushSubscription } from '../../store/push.ts'
import { initials } from '../../text/names.ts'
import { avatarHue } from '../../ui/avatar.tsx'
import { notificationText, wantsNotification } from './wants-notification.ts'

/**
 * The time that a window without the focus waits before it claims a message, and the time for which a claim lasts, in
 * milliseconds.
 */
const PATIENCE = 250
const HOLD = 5000

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

/**
 * Returns true if this window should show the notification of a message: no window of the same server has the focus,
 * and no other window has claimed the message.
 */
async function isOnlyPage(messageId: number): Promise<boolean> {
  const isLookedAt = document.hasFocus()
  if (!isLookedAt) await pause(PATIENCE)
  return (await isFirst(`parley message ${messageId}`)) && !isLookedAt
}

/**
 * Claims the name for `HOLD` milliseconds. Returns true if no other window has claimed it. Locks need HTTPS; without
 * them, every window succeeds.
 */
function isFirst(name: string): Promise<boolean> {
  const { locks } = navigator as { locks?: LockManager }
  if (locks === undefined) return Promise.resolve(true)
  return new Promise((resolve) => {
    const hold = (lock: Lock | null) => {
      resolve(lock !== null)
      return lock === null ? undefined : pause(HOLD)
    }
    locks.request(name, { ifAvailable: true }, hold).catch(() => resolve(true))
  })
}

/** The width and height of a drawn picture, in pixels. */
const SIZE = 128

/**
 * Returns the picture of a notification: the sender's uploaded picture, or else their initials as in the client. Other
 * servers are never asked for it, since they would learn who writes to whom. Returns null if the browser cannot draw.
 */
function notificationIcon(sender: { id: number; name: string; url: string | null }): string | null {
  const { id, name, url } = sender
  if (url !== null && new URL(url, location.href).origin === location.origin) return url
  const canvas = document.createElement('canvas')
  canvas.width = SIZE
  canvas.height = SIZE
  const context = canvas.getContext('2d')
  if (context === null) return null
  context.fillStyle = colorOf(id)
  context.beginPath()
  context.roundRect(0, 0, SIZE, SIZE, SIZE / 4)
  context.fill()
  context.fillStyle = 'white'
  context.font = `600 ${SIZE * 0.38}px ${getComputedStyle(document.body).fontFamily}`
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillText(initials(name), SIZE / 2, SIZE / 2 + SIZE * 0.03)
  return canvas.toDataURL('image/png')
}

/** Returns the color of the user's avatar in the current theme. */
function colorOf(id: number): string {
  const probe = document.createElement('span')
  probe.className = 'avatar'
  probe.dataset['hue'] = String(avatarHue(id))
  document.body.append(probe)
  const { backgroundColor } = getComputedStyle(probe)
  probe.remove()
  return backgroundColor
}

/**
 * Notifies the user of messages while no window has the focus. Depending on the settings, shows a desktop notification,
 * plays a sound, or both. Does nothing while the user has paused notifications.
 */
export function useNotifications(): void {
  const router = useRouter()
  const { user_id: ownId } = useOrganization('user_id')
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
