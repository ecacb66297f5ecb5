/** Faces made of punctuation, and the emoji that they stand for. */
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

/** Writes the emoji's name for each emoticon that stands by itself or between punctuation. */
export function translateEmoticons(text: string): string {
  return text.replace(STANDING_APART, (face) => `:${EMOTICONS.get(face)}:`)
}
