import { useSelector } from '@tanstack/react-store'
import type { ReactNode } from 'react'
import { showsEmojiNames } from '../message-html/display-settings.ts'
import { toCharacters } from '../message-html/emoji-text.ts'
import { useOrganization } from '../store/organization.ts'
import type { Emoji } from './emoji.ts'
import * as css from './emoji-glyph.module.css'

/**
 * An emoji. Screen readers skip it, since its name is next to it or labels its parent. `mayBeName` replaces the emoji
 * with its name for users who prefer names.
 */
export function EmojiGlyph({ emoji, mayBeName = false }: { emoji: Emoji; mayBeName?: boolean }): ReactNode {
  const { realm_emoji } = useOrganization('realm_emoji')
  const isNamed = useSelector(showsEmojiNames)
  const { emoji_name, emoji_code, reaction_type } = emoji
  const name = <span className={css.emojiName} aria-hidden="true" data-name={emoji_name} />
  if (mayBeName && isNamed) return name
  if (reaction_type === 'unicode_emoji')
    return (
      <span className={css.emojiSign} aria-hidden="true">
        {toCharacters(emoji_code)}
      </span>
    )
  const source =
    reaction_type === 'realm_emoji' ? realm_emoji[emoji_code]?.source_url : `/static/emoji/${emoji_code}.png`
  if (source === undefined || !/^\/(?!\/)/.test(source)) return name
  return <img className={css.emojiSign} src={source} alt="" />
}
