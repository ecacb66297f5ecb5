import { extraEmojiNames, extraEmojiUrl } from '../../organizations/realms/extra-emoji.ts'
import { APP_ICON, REALM_ICON } from '../../organizations/realms/realm.ts'
import { drawPng } from '../../platform/encoding/png.ts'
import { SYSTEM_BOT_AVATAR, UNKNOWN_USER_AVATAR } from './user.ts'

/** Width and height in pixels. */
const SIZE = 128
export const APP_ICON_SIZE = 512

const isInCircle = (x: number, y: number, centerX: number, centerY: number, radius: number) =>
  (x - centerX) ** 2 + (y - centerY) ** 2 < radius ** 2

/** Returns whether a point lies in a horizontally centered rectangle with rounded corners. */
const isInBox = (x: number, y: number, [top, bottom, halfWidth, corner]: [number, number, number, number]) => {
  const beyondX = Math.abs(x - 0.5) - (halfWidth - corner)
  const beyondY = Math.abs(y - (top + bottom) / 2) - ((bottom - top) / 2 - corner)
  return Math.hypot(Math.max(beyondX, 0), Math.max(beyondY, 0)) < corner
}

/** A speech bubble. */
const isInBubble = (x: number, y: number) =>
  isInBox(x, y, [0.2, 0.68, 0.34, 0.12]) || (x > 0.3 && x < 0.5 && y > 0.6 && y < 1.14 - x)

const figures: Record<string, (x: number, y: number) => boolean> = {
  [UNKNOWN_USER_AVATAR]: (x, y) => isInCircle(x, y, 0.5, 0.38, 0.19) || isInCircle(x, y, 0.5, 1.02, 0.38),
  [SYSTEM_BOT_AVATAR]: (x, y) => {
    const isEye = isInCircle(x, y, 0.38, 0.5, 0.06) || isInCircle(x, y, 0.62, 0.5, 0.06)
    const isAerial = isInCircle(x, y, 0.5, 0.17, 0.05) || (Math.abs(x - 0.5) < 0.02 && y > 0.17 && y < 0.3)
    return isAerial || (isInBox(x, y, [0.3, 0.78, 0.3, 0.1]) && !isEye)
  },
  [REALM_ICON]: isInBubble,
  [APP_ICON]: isInBubble,
  ...Object.fromEntries(extraEmojiNames.map((name) => [extraEmojiUrl(name), isInBubble])),
}

const drawn = new Map<string, Buffer>()

/** Returns a built-in image as PNG, or null for any other path. Images are drawn when they are first requested. */
export function builtInImage(path: string): Buffer | null {
  const isInk = Object.hasOwn(figures, path) ? figures[path] : undefined
  if (isInk === undefined) return null
  const image = drawn.get(path) ?? drawPng(path === APP_ICON ? APP_ICON_SIZE : SIZE, isInk)
  drawn.set(path, image)
  return image
}
