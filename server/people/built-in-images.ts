import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '#lib/process.ts'
import { extraEmojiNames, extraEmojiUrl } from '#realms/emoji.ts'
import { APP_ICON, REALM_ICON } from '#realms/realm.ts'
import { SYSTEM_BOT_AVATAR, UNKNOWN_USER_AVATAR } from './users.ts'

// The pictures that come with the server: the icon of organizations without one, and the avatars of its own bots and
// of unknown users.

/** The width and height of the app icon, in pixels. */
export const APP_ICON_SIZE = 512

/** The files of the built-in images, by the paths at which they are served. */
const FILES: Record<string, string> = {
  [UNKNOWN_USER_AVATAR]: 'unknown-user.png',
  [SYSTEM_BOT_AVATAR]: 'system-bot.png',
  [REALM_ICON]: 'organization-icon.png',
  [APP_ICON]: 'app-icon.png',
  ...Object.fromEntries(extraEmojiNames.map((name) => [extraEmojiUrl(name), 'speech-bubble.png'])),
}

const images = new Map<string, Buffer>()

/**
 * Returns the built-in image with this path as PNG; null for any other path. Each file is read when it is first
 * requested.
 */
export function builtInImage(path: string): Buffer | null {
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined
  if (file === undefined) return null
  const image = images.get(file) ?? readFileSync(join(projectRoot, 'server/people/built-in-images', file))
  images.set(file, image)
  return image
}
