export type BotField = 'name' | 'shortName' | 'url' | 'owner'

/** The field of which the server said that something is wrong with it; null where it was none of them. */
export function botErrorField(message: string): BotField | null {
  if (/username/i.test(message)) return 'shortName'
  if (/\bowner\b/i.test(message)) return 'owner'
  if (/_url\b/.test(message)) return 'url'
  return /\bname\b/i.test(message) ? 'name' : null
}
