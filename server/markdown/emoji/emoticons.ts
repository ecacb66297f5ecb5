/** Emoticons and the emoji that replace them. */
const EMOTICONS = new Map([
  [':)', 'smile'],
  ['(:', 'smile'],
  [':(', 'frown'],
  ['<3', 'heart'],
  [':|', 'neutral'],
  [':/', 'confused'],
  [';)', 'wink'],
  [':D', 'grinning'],
  [':o', 'open_mouth'],
  [':O', 'open_mouth'],
  [':p', 'stuck_out_tongue'],
  [':P', 'stuck_out_tongue'],
])

const faces = [...EMOTICONS.keys()].map((face) => face.replace(/[()|/]/g, '\\$&')).join('|')
const STANDING_APART = new RegExp(`(?<![^,.;?!()\\[\\]"'\\s])(?:${faces})(?![^,.;?!()\\[\\]"'\\s])`, 'g')

/** Replaces each emoticon that stands alone or between punctuation with the name of its emoji. */
export function translateEmoticons(text: string): string {
  return text.replace(STANDING_APART, (face) => `:${EMOTICONS.get(face)}:`)
}
