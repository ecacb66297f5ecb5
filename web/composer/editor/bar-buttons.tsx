import ChevronDown from 'lucide-react/icons/chevron-down'
import Plus from 'lucide-react/icons/plus'
import SendHorizontal from 'lucide-react/icons/send-horizontal'
import Smile from 'lucide-react/icons/smile'
import { type ComponentProps, type ComponentType, memo, type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { EmojiPopover } from '../../emoji/emoji-popover.tsx'
import { withTone } from '../../emoji/skin-tones.tsx'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { loadPart } from '../../ui/load-part.ts'
import { MenuButton } from '../../ui/menu-button.tsx'
import { showToast } from '../../ui/toasts.ts'
import type { WidgetKind } from '../box/widget-text.ts'
import * as css from '../composer.module.css'
import { BarButton } from './bar-button.tsx'
import type { CallKind } from './format-bar.tsx'
import { emojiEdit, type Format } from './formatting.ts'
import type { Insert } from './plus-items.tsx'
import { applyEdit, applyFormat, selectionOf } from './text-area.ts'

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
    <span ref={button}>
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

const PlusItems = lazyPart(async () => (await import('./plus-items.tsx')).PlusItems)

/** The menu of everything that can be inserted, and of all formats. */
export const PlusMenu = memo(function PlusMenu(props: {
  field: () => HTMLTextAreaElement | null
  /** Opens the dialog for a poll or to-do list; null for edits, since only new messages can contain them. */
  onWidget: ((kind: WidgetKind) => void) | null
  onAttach: () => void
  onTime: () => void
  onCall: (kind: CallKind) => void
  onGif: () => void
  onSnippets: () => void
}): ReactNode {
  const { field, onWidget, onAttach, onTime, onCall, onGif, onSnippets } = props

  function insert(id: Insert) {
    if (id === 'attach') return onAttach()
    if (id === 'time') return onTime()
    if (id === 'poll' || id === 'todo') return onWidget?.(id)
    if (id === 'gif') return onGif()
    if (id === 'video' || id === 'voice') return onCall(id)
    onSnippets()
  }

  function format(id: Format) {
    const area = field()
    if (area !== null) applyFormat(area, id)
  }

  return (
    <span className={css.plusMenu}>
      <MenuButton
        placement="top start"
        load={PlusItems.load}
        button={(props) => <BarButton {...props} label={t('Add')} Icon={Plus} />}
      >
        {(menu) => <PlusItems {...menu} hasWidgets={onWidget !== null} onInsert={insert} onFormat={format} />}
      </MenuButton>
    </span>
  )
})

const TimeItems = lazyPart(async () => (await import('../../scheduling/time-items.tsx')).TimeItems)
const ScheduleDialog = lazyPart(async () => (await import('../../scheduling/schedule-dialog.tsx')).ScheduleDialog)

/** The menu to schedule the message. */
function SendLater({ isDisabled, onChoose }: { isDisabled: boolean; onChoose: (at: number) => void }): ReactNode {
  const [isAsking, setIsAsking] = useState(false)
  return (
    <>
      <MenuButton
        placement="top end"
        load={TimeItems.load}
        button={(props) => (
          <span>
            <Button
              {...props}
              kind="primary"
              aria-label={t('Send later')}
              isDisabled={isDisabled}
              icon={<ChevronDown className="icon" aria-hidden="true" />}
            />
          </span>
        )}
      >
        {(menu) => <TimeItems {...menu} onChoose={onChoose} onOther={() => setIsAsking(true)} />}
      </MenuButton>
      {isAsking && <ScheduleDialog onChoose={onChoose} onClose={() => setIsAsking(false)} />}
    </>
  )
}

/** The button that sends the message. With `onSchedule`, a menu next to it offers times to send the message later. */
export const SendButtons = memo(function SendButtons(props: {
  /** The keys that send the message, as shown in the tooltip. */
  keys: string
  isPending: boolean
  isDisabled: boolean
  onSchedule: ((at: number) => void) | null
}): ReactNode {
  const { keys, isPending, isDisabled, onSchedule } = props
  return (
    <div className={css.composerSend}>
      <span>
        <Button
          type="submit"
          kind="primary"
          data-tooltip={t('Send')}
          data-keys={keys}
          isPending={isPending}
          isDisabled={isDisabled}
          icon={<SendHorizontal className="icon" aria-hidden="true" />}
        >
          <span className={css.composerSendLabel}>{t('Send')}</span>
        </Button>
      </span>
      {onSchedule !== null && <SendLater isDisabled={isPending || isDisabled} onChoose={onSchedule} />}
    </div>
  )
})
