import type { ReactNode } from 'react'
import { EmojiGlyph } from './emoji-glyph.tsx'
import type { EmojiChoice } from './emoji-table.ts'
import { withTone } from './skin-tones.ts'

/** An emoji with a skin tone, if it has one. Screen readers skip it. */
export function TonedGlyph({ emoji, tone }: { emoji: EmojiChoice; tone: number }): ReactNode {
  const toned = withTone(emoji, tone)
  return toned === null ? (
    <EmojiGlyph emoji={emoji} />
  ) : (
    <span className="emoji-sign" aria-hidden="true">
      {toned}
    </span>
  )
}
