import type { ReactNode } from 'react'
import { useOrganization } from '../../../store/organization.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { EmojiGlyph } from '../../emoji/emoji-glyph.tsx'
import { PersonButton } from '../../people/cards/person-button.tsx'
import type { PartProps } from '../dialogs/part.ts'
import '../dialogs/parts.css'
import { t } from '../../../text/t.ts'
import { readableName } from '../../emoji/emoji.ts'
import { toChips } from './reaction-chips.ts'
import { useNames } from './use-names.ts'

/** The reactions to a message with their users. */
export function ReactionsDialog({ message, onClose }: PartProps): ReactNode {
  const { user_id } = useOrganization()
  const nameOf = useNames()
  const chips = toChips(message.reactions)
  return (
    <Dialog title={t('Reactions')} isOpen onClose={onClose}>
      <div className="dialog-body">
        {chips.length === 0 && <p className="soft">{t('No reactions.')}</p>}
        {chips.map(({ key, emoji, userIds }) => (
          <section key={key} className="reacted">
            <h3>
              <EmojiGlyph emoji={emoji} /> {readableName(emoji.emoji_name)}
            </h3>
            <ul>
              {userIds.map((id) => (
                <li key={id}>
                  <PersonButton userId={id}>{id === user_id ? t('You') : nameOf(id)}</PersonButton>
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
