import { avatarColor } from '../../ui/people/avatar.tsx'
import { initials } from '../../ui/people/initials.ts'

/** The width and height of a drawn picture, in pixels. */
const SIZE = 128

/**
 * Returns the picture of a notification: the sender's uploaded picture, or else their initials as in the client. Other
 * servers are never asked for it, since they would learn who writes to whom. Returns null if the browser cannot draw.
 */
export function notificationIcon(sender: { id: number; name: string; url: string | null }): string | null {
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
  probe.className = `avatar ${avatarColor(id)}`
  document.body.append(probe)
  const { backgroundColor } = getComputedStyle(probe)
  probe.remove()
  return backgroundColor
}
