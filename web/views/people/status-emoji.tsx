import type { ReactNode } from 'react'
import type { Organization } from '../../store/organization.ts'
import { EmojiGlyph } from '../emoji/emoji-glyph.tsx'
import '../message/reactions/reaction-bar.css'

/** The emoji of a user's status, if it has one. */
export function StatusEmoji({ status }: { status: Organization['user_status'][string] | undefined }): ReactNode {
  const { emoji_name, emoji_code, reaction_type } = status ?? {}
  if (emoji_name === undefined || emoji_code === undefined || reaction_type === undefined) return null
  return <EmojiGlyph emoji={{ emoji_name, emoji_code, reaction_type }} mayBeName />
}
