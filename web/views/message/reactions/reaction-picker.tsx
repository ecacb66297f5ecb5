import type { ReactNode } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { t } from '../../../text/t.ts'
import { EmojiPopover } from '../../emoji/emoji-popover.tsx'
import type { PartProps } from '../dialogs/part.ts'
import { toggleReaction } from './react.ts'

export function ReactionPicker({ message, trigger, onClose }: PartProps): ReactNode {
  const { user_id } = useOrganization()
  return (
    <EmojiPopover
      label={t('Add reaction')}
      hint={t('Enter adds a reaction, Shift+Enter adds several')}
      trigger={trigger}
      onChoose={(emoji, wantsMore) => {
        void toggleReaction(message, emoji, user_id)
        if (!wantsMore) onClose()
      }}
      onClose={onClose}
    />
  )
}
