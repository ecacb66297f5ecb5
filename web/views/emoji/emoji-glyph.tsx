import type { ReactNode } from 'react'
import { useOrganization } from '../../store/organization.ts'
import type { Emoji } from './emoji.ts'
import { toCharacters } from './unicode-emoji.ts'

/** An emoji. Screen readers skip it, since its name is next to it or labels its parent. */
export function EmojiGlyph({ emoji }: { emoji: Emoji }): ReactNode {
  const { realm_emoji } = useOrganization()
  const { emoji_name, emoji_code, reaction_type } = emoji
  if (reaction_type === 'unicode_emoji')
    return (
      <span className="emoji-sign" aria-hidden="true">
        {toCharacters(emoji_code)}
      </span>
    )
  const source =
    reaction_type === 'realm_emoji' ? realm_emoji[emoji_code]?.source_url : `/static/emoji/${emoji_code}.png`
  if (source === undefined || !/^\/(?!\/)/.test(source)) return <span aria-hidden="true">:{emoji_name}:</span>
  return <img className="emoji-sign" src={source} alt="" />
}
