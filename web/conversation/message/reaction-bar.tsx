import SmilePlus from 'lucide-react/icons/smile-plus'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { EmojiGlyph } from '../../emoji/emoji-glyph.tsx'
import type { Message } from '../../messages/message.ts'
import { isConversationOpen } from '../../messages/rights.ts'
import { useOrganization, useOrganizationPart } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { toggleReaction } from './react.ts'
import * as css from './reaction-bar.module.css'
import { type Chip, nameOfChip, namesOf, toChips, tooltipOfChip, useNames } from './reaction-chips.ts'

type BarProps = {
  message: Message
  /** Opens the picker beside the button that adds a reaction. */
  onAdd: (button: HTMLElement) => void
}

/**
 * The reactions to a message as toggle buttons, with a button that adds another one; nothing if there are none.
 * Reactions that arrive while the bar is shown pop up.
 */
export function ReactionBar(props: BarProps): ReactNode {
  const isShown = useRef(false)
  useEffect(() => {
    isShown.current = true
  }, [])
  return props.message.reactions.length > 0 && <Reactions {...props} areNew={isShown} />
}

function Reactions({ message, onAdd, areNew }: BarProps & { areNew: RefObject<boolean> }): ReactNode {
  const isDisabled = useOrganizationPart((organization) => !isConversationOpen(organization, message))
  const { user_settings } = useOrganization('user_settings')
  const chips = toChips(message.reactions)
  const showsNames = user_settings.display_emoji_reaction_users && message.reactions.length <= MAX_NAMED
  return (
    <ul className={css.reactions} aria-label={t('Reactions')}>
      {chips.map((chip) => (
        <li key={chip.key}>
          <ReactionChip message={message} chip={chip} areNew={areNew} isDisabled={isDisabled} showsNames={showsNames} />
        </li>
      ))}
      {!isDisabled && (
        <li>
          <button
            type="button"
            className={`${css.reaction} ${css.reactionAdd}`}
            aria-label={t('Add reaction')}
            onClick={({ currentTarget }) => onAdd(currentTarget)}
          >
            <SmilePlus className="icon" aria-hidden="true" />
          </button>
        </li>
      )}
    </ul>
  )
}

/** The names of users are shown if a message has at most this many reactions. */
const MAX_NAMED = 3

function ReactionChip(props: {
  message: Message
  chip: Chip
  /** True after the bar is first shown. Reactions that arrive then are new. */
  areNew: RefObject<boolean>
  isDisabled: boolean
  showsNames: boolean
}): ReactNode {
  const { message, chip, areNew, isDisabled, showsNames } = props
  const [isNew] = useState(() => areNew.current)
  const { user_id } = useOrganization('user_id')
  const nameOf = useNames()
  const [isPending, setPending] = useState(false)
  const isSelected = chip.userIds.includes(user_id)

  async function toggle() {
    if (isPending) return
    setPending(true)
    await toggleReaction(message, chip.emoji, user_id)
    setPending(false)
  }

  return (
    // A ToggleButton would load the library's focus management for toolbars.
    <Button
      className={css.reaction}
      data-new={isNew || undefined}
      data-tooltip={tooltipOfChip(chip, user_id, nameOf)}
      aria-pressed={isSelected}
      isDisabled={isDisabled}
      aria-label={nameOfChip(chip, user_id, nameOf)}
      onPress={() => void toggle()}
    >
      <EmojiGlyph emoji={chip.emoji} mayBeName />
      {showsNames ? namesOf(chip.userIds, user_id, nameOf) : chip.userIds.length}
    </Button>
  )
}
