import Smile from 'lucide-react/icons/smile'
import { type ComponentProps, type ComponentType, memo, type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { toAppError } from '../../../store/app-error.ts'
import { loadPart } from '../../../store/load-part.ts'
import { t } from '../../../text/t.ts'
import { showToast } from '../../../ui/feedback/toasts.ts'
import type { EmojiPopover } from '../../emoji/emoji-popover.tsx'
import { withTone } from '../../emoji/skin-tones.ts'
import { emojiEdit } from '../editor/formatting.ts'
import { applyEdit, selectionOf } from '../editor/text-area.ts'
import { BarButton } from './bar-button.tsx'

type Popover = ComponentType<ComponentProps<typeof EmojiPopover>>

/** Inserts an emoji at the cursor of the text area that `field` returns. */
export const EmojiButton = memo(function EmojiButton({
  field,
}: {
  field: () => HTMLTextAreaElement | null
}): ReactNode {
  const button = useRef<HTMLSpanElement>(null)
  const [opened, setOpened] = useState<{ Popover: Popover } | null>(null)

  function open() {
    loadPart(() => import('../../emoji/emoji-popover.tsx')).then(
      ({ EmojiPopover }) => setOpened({ Popover: EmojiPopover }),
      (error: unknown) => showToast(toAppError(error).message, { kind: 'error' }),
    )
  }

  function write(sign: string) {
    // The dialog keeps the focus until it is closed.
    flushSync(() => setOpened(null))
    const area = field()
    if (area !== null) applyEdit(area, emojiEdit(sign, selectionOf(area)))
  }

  return (
    <span ref={button} className="emoji-button">
      <BarButton label={t('Emoji')} Icon={Smile} aria-haspopup="dialog" onPress={open} />
      {opened !== null && (
        <opened.Popover
          label={t('Insert emoji')}
          hint={t('Press Enter to insert')}
          trigger={button}
          hasTones
          onChoose={(choice, _, tone) => write(withTone(choice, tone) ?? `:${choice.emoji_name}:`)}
          onClose={() => setOpened(null)}
        />
      )}
    </span>
  )
})
