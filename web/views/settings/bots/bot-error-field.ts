export type BotField = 'name' | 'shortName' | 'url' | 'owner'

/** Returns the field that a server error is about; null if it is about none. */
export function botErrorField(message: string): BotField | null {
  if (/username/i.test(message)) return 'shortName'
  if (/\bowner\b/i.test(message)) return 'owner'
  if (/_url\b/.test(message)) return 'url'
  return /\bname\b/i.test(message) ? 'name' : null
}
