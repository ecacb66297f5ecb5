/** Returns the characters of an emoji in its graphical form; empty for an invalid code. */
export function toCharacters(code: string): string {
  const points = code.split('-').map((point) => Number.parseInt(point, 16))
  if (points.some((point) => !(point <= 0x10ffff))) return ''
  return points.map((point) => String.fromCodePoint(point) + (isText(point) ? '\ufe0f' : '')).join('')
}

const JOINER = 0x200d
const KEYCAP = 0x20e3

/** Returns true if the character needs a variation selector to be shown as an emoji. */
const isText = (point: number) => point < 0x1f000 && point !== JOINER && point !== KEYCAP
