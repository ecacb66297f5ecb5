import Smile from 'lucide-react/icons/smile'
import { type ComponentProps, type ComponentType, type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { toAppError } from '../../store/app-error.ts'
import { loadPart } from '../../store/load-part.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { showToast } from '../../ui/feedback/toasts.ts'
import type { EmojiPopover } from '../emoji/emoji-popover.tsx'
import { emojiEdit } from './formatting.ts'
import { applyEdit, selectionOf } from './text-area.ts'

type Popover = ComponentType<ComponentProps<typeof EmojiPopover>>

/** Inserts an emoji at the cursor of the text area that `field` returns. */
export function EmojiButton(props: { field: () => HTMLTextAreaElement | null; isDisabled: boolean }): ReactNode {
  const { field, isDisabled } = props
  const conversation = useRef<HTMLSpanElement>(null)
  const [opened, setOpened] = useState<{ Popover: Popover } | null>(null)

  function open() {
    loadPart(() => import('../emoji/emoji-popover.tsx')).then(
      ({ EmojiPopover }) => setOpened({ Popover: EmojiPopover }),
      (error: unknown) => showToast(toAppError(error).message, { kind: 'error' }),
    )
  }

  function write(name: string) {
    // The dialog keeps the focus until it is closed.
    flushSync(() => setOpened(null))
    const area = field()
    if (area !== null) applyEdit(area, emojiEdit(name, selectionOf(area)))
  }

  return (
    <span ref={conversation} title={t('Emoji')}>
      <Button
        kind="quiet"
        aria-label={t('Emoji')}
        aria-haspopup="dialog"
        isDisabled={isDisabled}
        icon={<Smile className="icon" aria-hidden="true" />}
        onPress={open}
      />
      {opened !== null && (
        <opened.Popover
          label={t('Insert emoji')}
          hint={t('Press Enter to insert')}
          trigger={conversation}
          onChoose={({ emoji_name }) => write(emoji_name)}
          onClose={() => setOpened(null)}
        />
      )}
    </span>
  )
}
