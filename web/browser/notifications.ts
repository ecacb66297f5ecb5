import { createAtom, useSelector } from '@tanstack/react-store'
import type { PushContent } from '#notifications/push-content.ts'
import { t } from '../text/t.ts'
import { registerWorker, workerRegistration } from './service-worker.ts'

/**
 * The browser's permission for desktop notifications: 'unasked' before the user has decided, 'insecure' if the page was
 * loaded without HTTPS from another machine, and 'none' if the browser has no notifications.
 */
type NotificationAccess = 'granted' | 'denied' | 'unasked' | 'insecure' | 'none'

function read(): NotificationAccess {
  if (!globalThis.isSecureContext) return 'insecure'
  if (!('Notification' in globalThis)) return 'none'
  return Notification.permission === 'default' ? 'unasked' : Notification.permission
}

const permission = createAtom(read())

/** The user can change the permission in the browser's settings at any time. */
void globalThis.navigator?.permissions
  ?.query({ name: 'notifications' })
  .then((status) => status.addEventListener('change', () => permission.set(read())))
  .catch(() => {})

export const notificationAccess = permission.get

export const useNotificationAccess = (): NotificationAccess => useSelector(permission)

/** Asks the user for permission. Must be called from a user gesture. */
export async function requestNotificationAccess(): Promise<void> {
  await Notification.requestPermission()
  permission.set(read())
}

/**
 * Shows a desktop notification. It replaces an earlier notification about the same message. Without a service worker, a
 * click on the notification calls `open` with the path.
 */
export async function showNotification(text: PushContent, open: (path: string) => void): Promise<void> {
  const { title, path, body, tag, icon } = text
  const options = { body, tag, data: { path }, ...(icon !== null && { icon }) }
  const registration = await workerRegistration()
  if (registration !== undefined) return registration.showNotification(title, options)
  try {
    const notice = new Notification(title, options)
    notice.onclick = () => {
      notice.close()
      open(path)
    }
  } catch {
    // Mobile browsers don't support the constructor; there the service worker shows notifications.
    await (await registerWorker()).showNotification(title, options)
  }
}

/**
 * Calls `open` with the path of a notification of the service worker when the user clicks it. Returns a function that
 * stops this.
 */
export function onNotificationClick(open: (path: string) => void): () => void {
  const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer }
  const follow = ({ data }: MessageEvent<Pick<PushContent, 'path'>>) => open(data.path)
  serviceWorker?.addEventListener('message', follow)
  serviceWorker?.startMessages()
  window.addEventListener('focus', clearNotifications)
  void clearNotifications()
  return () => {
    serviceWorker?.removeEventListener('message', follow)
    window.removeEventListener('focus', clearNotifications)
  }
}

/** Closes all notifications if the page has the focus, since the user no longer needs them. */
async function clearNotifications(): Promise<void> {
  if (!document.hasFocus()) return
  const notices = await (await workerRegistration())?.getNotifications()
  for (const notice of notices ?? []) notice.close()
}

/** A tone: its frequency in hertz, and the time at which it starts, in seconds. */
type Tone = readonly [frequency: number, start: number]

type Sound = { id: string; label: string; tones: readonly Tone[]; length: number; wave?: OscillatorType }

/** The sounds of this client, by their names in the API. The first one replaces sounds that only other clients have. */
export const NOTIFICATION_SOUNDS: readonly Sound[] = [
  {
    id: 'zulip',
    label: t('Two notes'),
    tones: [
      [659, 0],
      [880, 0.125],
    ],
    length: 0.5,
  },
  { id: 'ding', label: t('Ding'), tones: [[1047, 0]], length: 0.7 },
  {
    id: 'chime',
    label: t('Chime'),
    tones: [
      [523, 0],
      [659, 0.15],
      [784, 0.3],
    ],
    length: 0.9,
  },
  { id: 'bink', label: t('Blip'), tones: [[1319, 0]], length: 0.15 },
  {
    id: 'wood block',
    label: t('Wood block'),
    tones: [
      [392, 0],
      [330, 0.12],
    ],
    length: 0.3,
    wave: 'triangle',
  },
]

export const NO_SOUND = 'none'

const LOUDNESS = 0.12

/** The time that the browser has to allow a sound, in milliseconds. */
const PATIENCE = 1000

/** Made when the first sound is played. */
const audioContext = createAtom(() => new AudioContext())

/** Plays a sound. Stays silent if the browser requires a user gesture first. */
export async function playSound(name: string): Promise<void> {
  if (name === NO_SOUND) return
  const context = audioContext.get()
  // Notes that are scheduled on a suspended clock would all sound at once when it resumes.
  if (!(await isRunning(context))) return
  const { tones, length, wave = 'sine' } = NOTIFICATION_SOUNDS.find(({ id }) => id === name) ?? NOTIFICATION_SOUNDS[0]!
  const { currentTime: now, destination } = context
  const volume = context.createGain()
  volume.gain.setValueAtTime(LOUDNESS, now)
  volume.gain.exponentialRampToValueAtTime(0.001, now + length)
  volume.connect(destination)
  for (const [frequency, start] of tones) {
    const tone = context.createOscillator()
    tone.type = wave
    tone.frequency.value = frequency
    tone.connect(volume)
    tone.start(now + start)
    tone.stop(now + length)
  }
}

async function isRunning(context: AudioContext): Promise<boolean> {
  const late = new Promise<void>((resolve) => setTimeout(resolve, PATIENCE))
  await Promise.race([context.resume(), late])
  return context.state === 'running'
}
