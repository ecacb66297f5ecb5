import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

type Oklch = readonly [lightness: number, chroma: number, hue: number]

const readCss = (file: string) => readFileSync(path.join(import.meta.dirname, file), 'utf8')
/**
 * The text of three sets of tokens: for everyone, for high contrast in the user's settings, and for high contrast in
 * the operating system's settings.
 */
const [base = '', chosen = '', ofSystem = ''] = readCss('tokens.css').split(
  /:root\[data-contrast="more"\] |@media \(prefers-contrast: more\) /,
)
const PAIR = /--([\w-]+): light-dark\(oklch\(([\d. ]+)\), oklch\(([\d. ]+)\)\)/g
const read = (text: string) => text.split(' ').map(Number) as unknown as Oklch
const tokensIn = (css: string) =>
  new Map([...css.matchAll(PAIR)].map(([, name, light, dark]) => [name!, [read(light!), read(dark!)]] as const))
const tokens = tokensIn(`${base}\n${readCss('../message-html/content-tokens.css')}`)
const highTokens = new Map([...tokens, ...tokensIn(chosen)])

/** Returns the relative luminance as defined by WCAG. */
function luminance([lightness, chroma, hue]: Oklch): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  const clamp = (value: number) => Math.min(1, Math.max(0, value))
  const red = clamp(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s)
  const green = clamp(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s)
  const blue = clamp(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: Oklch, other: Oklch): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

const grounds = ['paper', 'surface', 'sunken', 'raised', 'row-hover']
const sidebar = ['sidebar', 'sidebar-hover', 'selected']

const texts: [string, string[]][] = [
  ['ink', [...grounds, ...sidebar, 'accent-tint', 'danger-tint', 'good-tint', 'warn-tint', 'mention-row']],
  ['ink-soft', [...grounds, ...sidebar, 'accent-tint', 'mention-row']],
  ['ink-faint', ['paper', 'surface', 'raised', 'row-hover', 'sidebar', 'mention-row']],
  ['link', [...grounds, 'mention-row']],
  ['unread-line', ['paper']],
  ['on-badge', ['badge']],
  ['accent', [...grounds, 'accent-tint']],
  ['accent-strong', [...grounds, 'accent-tint']],
  ['danger', [...grounds, 'danger-tint']],
  ['good', [...grounds, 'good-tint']],
  ['warn', [...grounds, 'warn-tint']],
  ['on-accent', ['accent', 'accent-strong']],
  ['on-danger', ['danger', 'danger-strong']],
  ['ink-soft', ['code-ground']],
  ...['code-keyword', 'code-string', 'code-number', 'code-function', 'code-comment'].map(
    (color): [string, string[]] => [color, ['code-ground']],
  ),
  ['own-mention', ['own-mention-ground']],
  ['viewer-ink', ['viewer-ground']],
]

const marks: [string, string[]][] = [
  ['control-line', grounds],
  ['focus', [...grounds, ...sidebar, 'accent-tint']],
  ['present', ['paper', 'surface', 'sidebar']],
  ['away', ['paper', 'surface', 'sidebar']],
  ['badge', ['paper', 'sidebar', 'selected']],
]

for (const [theme, index] of [
  ['light', 0],
  ['dark', 1],
] as const) {
  const worstOf = (pairs: [string, string[]][], palette = tokens) =>
    pairs
      .flatMap(([name, on]) => on.map((ground) => ({ name, ground })))
      .map(({ name, ground }) => ({
        pair: `${name} on ${ground}`,
        ratio: contrast(palette.get(name)![index]!, palette.get(ground)![index]!),
      }))

  test(`text is read at 4.5 to 1 in the ${theme} theme`, () => {
    assert.deepEqual(
      worstOf(texts).filter(({ ratio }) => ratio < 4.5),
      [],
    )
  })

  test(`borders of controls and focus rings stand out at 3 to 1 in the ${theme} theme`, () => {
    assert.deepEqual(
      worstOf(marks).filter(({ ratio }) => ratio < 3),
      [],
    )
  })
}

test('high contrast reads text at 7 to 1, and is the same by choice and by the operating system', () => {
  const inks = ['ink', 'ink-soft', 'ink-faint', 'accent', 'accent-strong', 'link']
  for (const index of [0, 1]) {
    const weak = inks.filter((name) =>
      grounds.some((ground) => contrast(highTokens.get(name)![index]!, highTokens.get(ground)![index]!) < 7),
    )
    assert.deepEqual(weak, [])
  }
  assert.ok(tokensIn(chosen).size > 8)
  assert.deepEqual([...tokensIn(ofSystem)], [...tokensIn(chosen)])
})

test('black on white is 21 to 1', () => {
  assert.equal(contrast([0, 0, 0], [1, 0, 0]).toFixed(1), '21.0')
})
