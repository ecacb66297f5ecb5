/** The characters of an emoji by its code, in the form that is a picture; empty for what is no code. */
export function toCharacters(code: string): string {
  const points = code.split('-').map((point) => Number.parseInt(point, 16))
  if (points.some((point) => !(point <= 0x10ffff))) return ''
  return points.map((point) => String.fromCodePoint(point) + (isText(point) ? '\ufe0f' : '')).join('')
}

const JOINER = 0x200d
const KEYCAP = 0x20e3

/** Whether the character is a letter or a sign unless what follows has it be a picture. */
const isText = (point: number) => point < 0x1f000 && point !== JOINER && point !== KEYCAP
