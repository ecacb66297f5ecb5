import type { ReactNode } from 'react'
import { storesPersonalData } from '../browser/personal-data.ts'
import type { EmojiChoice } from './emoji-choices.ts'
import * as css from './emoji-glyph.module.css'
import { EmojiGlyph } from './emoji-glyph.tsx'

/** The number of skin tones. Tone 0 is the yellow form and is not counted. */
const TONES = 5

const storageKey = (userId: number) => `parley.emoji.${userId}.tone`

/** Returns the skin tone that the user prefers in this browser: 0 for none, 1 for the lightest to 5 for the darkest. */
export function preferredTone(userId: number): number {
  try {
    const tone = Number(localStorage.getItem(storageKey(userId)))
    return Number.isInteger(tone) && tone >= 0 && tone <= TONES ? tone : 0
  } catch {
    return 0
  }
}

export function setPreferredTone(userId: number, tone: number): void {
  if (!storesPersonalData()) return
  try {
    localStorage.setItem(storageKey(userId), String(tone))
  } catch {
    // Without storage, emoji keep their yellow form.
  }
}

/** Returns the characters of the emoji in this tone; null if the emoji has no tones or the tone is 0. */
export const withTone = ({ toned }: Pick<EmojiChoice, 'toned'>, tone: number): string | null =>
  tone === 0 ? null : (toned[tone - 1] ?? null)

/** An emoji with a skin tone, if it has one. Screen readers skip it. */
export function TonedGlyph({ emoji, tone }: { emoji: EmojiChoice; tone: number }): ReactNode {
  const toned = withTone(emoji, tone)
  return toned === null ? (
    <EmojiGlyph emoji={emoji} />
  ) : (
    <span className={css.emojiSign} aria-hidden="true">
      {toned}
    </span>
  )
}
